import { Module } from '@nestjs/common';
import { AllowedMethods } from './routing/allowed-methods';
import { BodyMemory } from './body/body-memory';
import { TurnBudget } from './body/turn-budget';
import { ListeningSockets } from './connections/listening-sockets';
import { CsvExportsService } from './csv/csv-exports.service';
import { Draining } from './draining';

const PROVIDERS = [AllowedMethods, BodyMemory, CsvExportsService, Draining, ListeningSockets, TurnBudget];

/** Providers of the global filter, the body guard, the hooks and the controllers. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class HttpModule {}
