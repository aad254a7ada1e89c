import { Module } from '@nestjs/common';
import { AllowedMethods } from './routing/allowed-methods';
import { BodyMemory } from './body/body-memory';
import { TurnBudget } from './body/turn-budget';
import { Draining } from './draining';

/** Providers of the global filter, the body guard and the hooks. */
@Module({
  providers: [AllowedMethods, BodyMemory, Draining, TurnBudget],
  exports: [AllowedMethods, BodyMemory, Draining, TurnBudget],
})
export class HttpModule {}
