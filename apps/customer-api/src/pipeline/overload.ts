import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CreditLedgerService } from '@domains/ai';
import type { AppConfig } from '@platform/config';
import { DatabaseLoadService } from '@platform/database';
import { addLoadShedding, LoadShedder, LoopDelay, type Queue } from '@platform/http';
import { Metrics } from '@platform/metrics';

/** A burst that can be served within 2 s is not refused: so many requests, or those accepted in its first second. */
const BURST = 1000;
const STANDING_MS = 1000;
/** Shedding starts when the waiting time stays above this multiple of its target. */
const LATE = 4;
const MEASURE_EVERY_MS = 20;

/** Sheds load: refuses requests with 503 while more arrive than can be served in time. */
export function shedOverload(app: NestFastifyApplication, { OVERLOAD_WAIT_MS }: AppConfig): void {
  const server = app.getHttpAdapter().getInstance();
  const loop = new LoopDelay();
  const database = app.get(DatabaseLoadService);
  const ledger = app.get(CreditLedgerService);
  const waits: Record<Queue, () => number> = {
    reads: () => database.readsWaitMs(),
    writes: () => database.writesWaitMs(),
    ledger: () => ledger.queueDelayMs(),
  };
  const options = {
    targetMs: OVERLOAD_WAIT_MS,
    lateMs: LATE * OVERLOAD_WAIT_MS,
    standingMs: STANDING_MS,
    burst: BURST,
  };
  const shedders = {
    reads: new LoadShedder(options),
    writes: new LoadShedder(options),
    ledger: new LoadShedder(options),
  };
  const queues = Object.keys(shedders) as Queue[];
  const timer = setInterval(() => {
    for (const queue of queues) shedders[queue].measure(Math.max(loop.ms, waits[queue]()));
  }, MEASURE_EVERY_MS).unref();
  addLoadShedding(server, shedders);
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    loop.stop();
    done();
  });
  app.get(Metrics).reportState('overloaded', 'Requests are refused: more arrive than can be served in time', () => {
    return queues.some((queue) => shedders[queue].active);
  });
}
