export { MetricsModule } from './metrics.module';
export { Metrics } from './metrics';
export { readAtScrape } from './read-at-scrape';
