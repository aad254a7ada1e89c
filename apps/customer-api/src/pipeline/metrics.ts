import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RateLimitStorageService } from '@platform/access';
import { TokenChangeListenerService } from '@platform/tokens';
import { CustomerDatabaseService, DatabaseClockService, exposeDatabaseMetrics } from '@platform/database';
import { BodyMemory, observeRequests } from '@platform/http';
import { Metrics } from '@platform/metrics';
import { LimitedCustomers } from './limited-customers';

/** Measures requests, and exposes the gauges that operators monitor. */
export function exposeMetrics(app: NestFastifyApplication): void {
  const metrics = app.get(Metrics);
  const refusals = new LimitedCustomers(metrics);
  observeRequests(app.getHttpAdapter().getInstance(), ({ request, status, durationMs }) => {
    metrics.observeRequest(request.method, request.routeOptions.url, status, durationMs);
    if (status === 429) refusals.count(request.customer?.customerId);
  });
  const database = app.get(CustomerDatabaseService);
  metrics.reportNumber(
    'database_wait_seconds',
    'How long a statement that is sent now has to wait for a connection, as far as can be told',
    () => database.queueDelayMs() / 1000,
  );
  const bodies = app.get(BodyMemory);
  metrics.reportNumber('request_body_bytes', 'Bytes of request bodies held in memory', () => bodies.bytes);
  const storage = app.get(RateLimitStorageService);
  metrics.reportState(
    'rate_limit_degraded',
    'Redis is unavailable or refuses counts: rate limits are counted per process',
    () => storage.degraded,
  );
  exposeDatabaseMetrics(metrics, app.get(DatabaseClockService));
  const changes = app.get(TokenChangeListenerService);
  metrics.reportState(
    'token_cache_trusted',
    'Token changes are received: verified tokens are cached',
    () => changes.trusted,
  );
}
