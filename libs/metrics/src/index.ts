export { InternalListener } from './internal-listener';
export { MetricsModule } from './metrics.module';
export { Metrics } from './metrics';
