import { Global, Module } from '@nestjs/common';
import { InternalListener } from './internal-listener';
import { Metrics } from './metrics';

/** Metrics, and the internal listener that serves them. */
@Global()
@Module({ providers: [Metrics, InternalListener], exports: [Metrics, InternalListener] })
export class MetricsModule {}
