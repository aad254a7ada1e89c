import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter } from 'prom-client';
import { RateLimitStorageService } from '@platform/access';
import { CustomerDatabaseService, DatabaseClockService, exposeDatabaseMetrics } from '@platform/database';
import { BodyMemory, type LoadShedder, ReplyMemory } from '@platform/http';
import { Metrics } from '@platform/metrics';
import { RefusalRecorderService } from '@platform/refusals';
import { TokenChangeListenerService } from '@platform/tokens';

/** Exposes the gauges that operators monitor. */
export function exposeState(app: NestFastifyApplication, shedder: LoadShedder): void {
  const metrics = app.get(Metrics);
  metrics.reportState(
    'overloaded',
    'Requests are refused: more arrive than can be served in time',
    () => shedder.active,
  );
  new Counter({
    name: 'overload_refusals_total',
    help: "Requests refused while others wait: because their caller's share was used up, or all that can be served",
    labelNames: ['used'],
    registers: [metrics.registry],
    collect() {
      this.reset();
      this.inc({ used: 'share' }, shedder.refusals.share_used);
      this.inc({ used: 'all' }, shedder.refusals.all_used);
    },
  });
  metrics.reportNumber(
    'time_share_parties',
    'Customers and addresses whose use of time was counted lately',
    () => shedder.shares.parties,
  );
  const database = app.get(CustomerDatabaseService);
  metrics.reportNumber(
    'database_wait_seconds',
    'How long a statement that is sent now has to wait for a connection, as far as can be told',
    () => database.queueDelayMs() / 1000,
  );
  const bodies = app.get(BodyMemory);
  metrics.reportNumber('request_body_bytes', 'Bytes of request bodies held in memory', () => bodies.bytes);
  const replies = app.get(ReplyMemory);
  metrics.reportNumber(
    'unread_reply_bytes',
    'Bytes of replies that their readers have not taken yet',
    () => replies.bytes,
  );
  metrics.reportNumber(
    'slow_readers_disconnected',
    'Readers that were disconnected since the start because they took too little',
    () => replies.slowReaders,
  );
  const recorder = app.get(RefusalRecorderService);
  metrics.reportNumber(
    'refused_requests_not_kept',
    'Refused requests since the start that were not kept for the operator, because there were too many',
    () => recorder.notKept,
  );
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
