import { Module } from '@nestjs/common';
import { AllowedMethods } from './routing/allowed-methods';
import { BodyMemory } from './body/body-memory';
import { TurnBudget } from './body/turn-budget';
import { ListeningSockets } from './connections/listening-sockets';
import { Draining } from './draining';

/** Providers of the global filter, the body guard and the hooks. */
@Module({
  providers: [AllowedMethods, BodyMemory, Draining, ListeningSockets, TurnBudget],
  exports: [AllowedMethods, BodyMemory, Draining, ListeningSockets, TurnBudget],
})
export class HttpModule {}
