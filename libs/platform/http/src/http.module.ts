import { Module } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { TimeShares } from '@platform/fairness';
import { BodyMemory, TurnBudget } from './body-limits';
import { CsvExportsService } from './csv-exports.service';
import { Draining, ListeningSockets } from './listening';
import { createTimeShares } from './load-shedding';
import { ReplyMemory } from './reply-memory';
import { AllowedMethods } from './routing';

const SHARES = {
  provide: TimeShares,
  inject: [AppConfig],
  useFactory: ({ OVERLOAD_WAIT_MS }: AppConfig) => createTimeShares(OVERLOAD_WAIT_MS),
};
const PROVIDERS = [AllowedMethods, BodyMemory, CsvExportsService, Draining, ListeningSockets, ReplyMemory, TurnBudget];

/** Providers of the global filter, the body guard, the hooks and the controllers. */
@Module({ providers: [...PROVIDERS, SHARES], exports: [...PROVIDERS, TimeShares] })
export class HttpModule {}
