import { Module } from '@nestjs/common';
import { AllowedMethods } from './allowed-methods';
import { Draining } from './draining';

/** What the global filter and the hooks need. */
@Module({ providers: [AllowedMethods, Draining], exports: [AllowedMethods, Draining] })
export class HttpModule {}
