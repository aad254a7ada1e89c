import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PIPELINE_SETTINGS, type PipelineSettings, PipelinedConnectionsService, prepared } from '@platform/database';

const EVERY_MS = 1_000;
/** A heartbeat that takes longer has failed; the next one uses a new connection. */
const TIMEOUT_MS = 2_000;

const HEARTBEAT = prepared('process.heartbeat', 'select app.process_heartbeat($1) as now');
const ANNOUNCE_END = prepared('process.end', 'select app.end_process($1)');
/** Each node of a cluster keeps account for itself. */
const HEARTBEAT_ON_NODES = prepared(
  'process.heartbeat_on_nodes',
  `select app.run_on_nodes(format('select app.process_heartbeat(%L)', $1::uuid))`,
);
const ANNOUNCE_END_ON_NODES = prepared(
  'process.end_on_nodes',
  `select app.run_on_nodes(format('select app.end_process(%L)', $1::uuid))`,
);

/**
 * Writes a heartbeat to the database once a second, on its own connection: reservations of a process that died are
 * resolved soon after (`sql/process-liveness.sql`).
 */
@Injectable()
export class ProcessHeartbeatService implements OnModuleInit {
  /** Identifies this process in its reservations. A new id at every start. */
  readonly processId = randomUUID();
  private readonly logger = new Logger(ProcessHeartbeatService.name);
  private connection: PipelinedConnectionsService;
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;
  private ended = false;
  private failing = false;
  /** The database's time minus this process's monotonic clock, in ms. */
  private offset = Date.now() - performance.now();

  constructor(@Inject(PIPELINE_SETTINGS) private readonly settings: PipelineSettings) {
    this.connection = this.newConnection();
  }

  /** The first heartbeat is sent before the first reservation. */
  async onModuleInit(): Promise<void> {
    await this.beat();
  }

  /** The database's time according to the last heartbeat; never ahead of the database's clock. */
  databaseTime(): Date {
    return new Date(performance.now() + this.offset);
  }

  /**
   * Announces that the process ends: its remaining reservations can be resolved at once. Called after the last
   * reservation.
   */
  async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.running;
    // If this fails, the reservations are resolved ten seconds later.
    await Promise.allSettled(
      [ANNOUNCE_END, ANNOUNCE_END_ON_NODES].map((statement) => this.connection.single(statement, [this.processId])),
    );
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
      await this.connection.single(HEARTBEAT_ON_NODES, [this.processId]);
      if (this.failing) this.logger.log('Heartbeat is back');
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.warn({ msg: 'Heartbeat failed', err: error });
      this.failing = true;
      // The server may have vanished without closing the connection, so the connection is dropped.
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
