import { Module } from '@nestjs/common';
import { AllowedMethods } from './routing/allowed-methods';
import { BodyMemory } from './body/body-memory';
import { TurnBudget } from './body/turn-budget';
import { Draining } from './draining';

/** What the global filter, the guard that reads bodies and the hooks need. */
@Module({
  providers: [AllowedMethods, BodyMemory, Draining, TurnBudget],
  exports: [AllowedMethods, BodyMemory, Draining, TurnBudget],
})
export class HttpModule {}
