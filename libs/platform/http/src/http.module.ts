import { Module } from '@nestjs/common';
import { FairnessModule } from '@platform/fairness';
import { BodyMemory, TurnBudget, turnBudget } from './body-limits';
import { CsvExportsService } from './csv-exports.service';
import { Draining, ListeningSockets } from './listening';
import { ReplyMemory } from './unread-replies';
import { AllowedMethods } from './routing';

const PROVIDERS = [
  AllowedMethods,
  BodyMemory,
  CsvExportsService,
  Draining,
  ListeningSockets,
  ReplyMemory,
  { provide: TurnBudget, useValue: turnBudget },
];

/** Providers of the global filter, the body guard, the hooks and the controllers. */
@Module({ imports: [FairnessModule], providers: PROVIDERS, exports: [...PROVIDERS, FairnessModule] })
export class HttpModule {}
