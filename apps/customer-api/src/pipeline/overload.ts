import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppConfig } from '@platform/config';
import { CustomerDatabaseService } from '@platform/database';
import { addLoadShedding, LoadShedder, LoopDelay } from '@platform/http';
import { Metrics } from '@platform/metrics';

/** A burst that can be served within 2 s is not refused: requests accepted in its first second wait during the next. */
const STANDING_MS = 1000;
const MEASURE_EVERY_MS = 100;

/** Sheds load: refuses requests with 503 while more arrive than can be served in time. */
export function shedOverload(app: NestFastifyApplication, { OVERLOAD_WAIT_MS }: AppConfig): void {
  const server = app.getHttpAdapter().getInstance();
  const shedder = new LoadShedder({ targetMs: OVERLOAD_WAIT_MS, standingMs: STANDING_MS });
  const loop = new LoopDelay();
  const database = app.get(CustomerDatabaseService);
  const timer = setInterval(() => shedder.measure(Math.max(loop.ms, database.queueDelayMs())), MEASURE_EVERY_MS);
  timer.unref();
  addLoadShedding(server, shedder);
  server.addHook('onClose', (_server, done) => {
    clearInterval(timer);
    loop.stop();
    done();
  });
  app.get(Metrics).reportState('overloaded', 'Requests are refused: more arrive than can be served in time', () => {
    return shedder.active;
  });
}
