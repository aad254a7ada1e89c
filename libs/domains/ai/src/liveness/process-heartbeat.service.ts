import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PIPELINE_SETTINGS, type PipelineSettings, PipelinedConnectionsService, prepared } from '@platform/database';

const EVERY_MS = 1_000;
/** A heartbeat that takes longer has failed; the next one tries another connection. */
const TIMEOUT_MS = 2_000;

const HEARTBEAT = prepared('process.heartbeat', 'select app.process_heartbeat($1) as now');
const FAREWELL = prepared('process.farewell', 'delete from process_liveness where id = $1 returning id');

/**
 * Makes this process's liveness visible in the database, by one small write a second on a connection of its own: what
 * a process has reserved is given back soon after it died (`ledger/sql/process-heartbeat.sql`).
 */
@Injectable()
export class ProcessHeartbeatService implements OnModuleInit {
  /** Names this process in its reservations. Another one after every start. */
  readonly processId = randomUUID();
  private readonly logger = new Logger(ProcessHeartbeatService.name);
  private connection: PipelinedConnectionsService;
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;
  private ended = false;
  private failing = false;
  /** The database's time less this process's monotonic clock, in ms. */
  private offset = Date.now() - performance.now();

  constructor(@Inject(PIPELINE_SETTINGS) private readonly settings: PipelineSettings) {
    this.connection = this.newConnection();
  }

  /** The first heartbeat comes before the first reservation. */
  async onModuleInit(): Promise<void> {
    await this.beat();
  }

  /** The time on the database's own clock, as far as the last heartbeat tells: never ahead of it. */
  databaseTime(): Date {
    return new Date(performance.now() + this.offset);
  }

  /** Says that the process ends: whatever it has still reserved can be given back at once. Whoever reserves calls it last. */
  async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.running;
    // Without it the reservations are given back ten seconds later.
    await this.connection.single(FAREWELL, [this.processId]).catch(() => undefined);
    await this.connection.onApplicationShutdown();
  }

  private beat(): Promise<void> {
    const startedAt = performance.now();
    this.running = this.send().finally(() => {
      if (this.ended) return;
      this.timer = setTimeout(() => void this.beat(), Math.max(0, EVERY_MS - (performance.now() - startedAt)));
      this.timer.unref();
    });
    return this.running;
  }

  private async send(): Promise<void> {
    try {
      const [row] = await this.connection.single<{ now: Date }>(HEARTBEAT, [this.processId]);
      if (row) this.offset = row.now.getTime() - performance.now();
      if (this.failing) this.logger.log('Heartbeat is back');
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn({ msg: 'Heartbeat failed', err: error });
      this.failing = true;
      // The server may have vanished without a word; a connection that it does not answer on is of no use.
      void this.connection.onApplicationShutdown().catch(() => undefined);
      this.connection = this.newConnection();
    }
  }

  private newConnection(): PipelinedConnectionsService {
    const { client } = this.settings;
    const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
    return new PipelinedConnectionsService({ client: { ...client, ...timeouts }, size: 1 });
  }
}
