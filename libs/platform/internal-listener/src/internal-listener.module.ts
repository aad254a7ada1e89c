import { Global, Module } from '@nestjs/common';
import { InternalListener } from './internal-listener.service';

/** The listener for the operator's own network, one per process. */
@Global()
@Module({ providers: [InternalListener], exports: [InternalListener] })
export class InternalListenerModule {}
