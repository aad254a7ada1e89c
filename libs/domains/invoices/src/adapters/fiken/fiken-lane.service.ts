import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Client } from 'pg';
import { PIPELINE_SETTINGS, type PipelineSettings } from '@platform/database';
import { LaneQueue, type LaneTicket, type Urgency } from './lane-queue';

/** Who holds this has Fiken to itself; who waits for a PDF holds the other beside it. The numbers only have to be the project's own. */
const LANE = '(7264, 21)';
const PDF_WAITS = '(7264, 22)';
/** How often a sync looks whether PDFs still wait. */
const LOOK_MS = 50;
/** So that a process that is gone holds nothing: the server asks whether it is there, whether it waits or not. */
const WATCH = `set statement_timeout = 0; set client_connection_check_interval = '2s';
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3`;

/**
 * Fiken's rule of one request at a time, over all processes: locks of the database's, on a connection of its own, which end
 * with the process that holds them. PDFs, for which somebody waits, go before syncs.
 */
@Injectable()
export class FikenLaneService implements OnApplicationShutdown {
  private readonly queue = new LaneQueue();
  private client: Client | undefined;
  /** Aborts when the present connection, and with it every hold, is gone. */
  private lost = new AbortController().signal;
  private serving: Promise<void> | undefined;

  constructor(@Inject(PIPELINE_SETTINGS) private readonly settings: PipelineSettings) {}

  /**
   * Does `work` while nobody else has a request under way. Its signal ends it when the hold on the lane is lost.
   * @throws LaneBusyError if its turn does not come within `waitMs`; what the signal was aborted with
   */
  async use<T>(
    urgency: Urgency,
    { signal, waitMs }: { signal: AbortSignal; waitMs?: number },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const ticket = this.queue.enter(urgency, signal, waitMs);
    this.serving ??= this.serve().finally(() => (this.serving = undefined));
    const lost = await ticket.turn;
    try {
      return await work(AbortSignal.any([signal, lost]));
    } finally {
      ticket.leave();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client?.end().catch(() => undefined);
  }

  private async serve(): Promise<void> {
    for (let ticket = this.queue.next(); ticket; ticket = this.queue.next()) {
      try {
        const client = await this.connected();
        await this.serveOne(client, ticket);
      } catch (error) {
        this.queue.fail(error);
        void this.client?.end().catch(() => undefined);
        this.client = undefined;
      }
    }
  }

  private async serveOne(client: Client, wanted: LaneTicket): Promise<void> {
    const urgent = wanted.urgency === 'pdf';
    if (urgent) await client.query(`select pg_advisory_lock_shared${PDF_WAITS}`);
    else if (!(await this.pdfsDone(client))) return;
    await client.query(`select pg_advisory_lock${LANE}`);
    // Whoever it was for may have given up meanwhile: then it is the next one's, and nobody's request is made.
    const ticket = this.queue.take(wanted.urgency);
    if (ticket) await ticket.serve(this.lost);
    await client.query(`select pg_advisory_unlock${LANE}${urgent ? `, pg_advisory_unlock_shared${PDF_WAITS}` : ''}`);
  }

  /** Waits until nobody waits for a PDF; false if one is asked for here meanwhile. */
  private async pdfsDone(client: Client): Promise<boolean> {
    for (;;) {
      const { rows } = await client.query<{ free: boolean }>(
        `select case when pg_try_advisory_lock${PDF_WAITS} then pg_advisory_unlock${PDF_WAITS} else false end as free`,
      );
      if (rows[0]?.free) return true;
      if (this.queue.next()?.urgency !== 'sync') return false;
      await sleep(LOOK_MS);
    }
  }

  private async connected(): Promise<Client> {
    if (this.client) return this.client;
    // Waiting for the lane may take longer than a statement otherwise may.
    const { query_timeout: _, ...settings } = this.settings.client;
    const client = new Client(settings);
    const lost = new AbortController();
    const lose = () => {
      lost.abort(new Error('The hold on the lane to Fiken was lost'));
      if (this.client === client) this.client = undefined;
    };
    client.on('error', lose);
    client.once('end', lose);
    await client.connect();
    await client.query(WATCH);
    [this.client, this.lost] = [client, lost.signal];
    return client;
  }
}
