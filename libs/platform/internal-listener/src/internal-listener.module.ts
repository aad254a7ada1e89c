import { Global, Module } from '@nestjs/common';
import { InternalListenerService } from './internal-listener.service';

/** The listener for the operator's own network, one per process. */
@Global()
@Module({ providers: [InternalListenerService], exports: [InternalListenerService] })
export class InternalListenerModule {}
