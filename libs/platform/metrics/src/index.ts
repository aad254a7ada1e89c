export { MetricsModule } from './metrics.module';
export { Metrics } from './metrics';
