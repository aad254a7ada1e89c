import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isLockTimeout, PIPELINE_SETTINGS, type PipelineSettings } from '@platform/database';
import { LaneQueue, type LaneTicket, type Urgency } from './lane-queue';
import { LaneSession } from './lane-session';

/** Who holds this has Fiken to itself; who waits for a PDF holds the other beside it. The numbers only have to be the project's own. */
const LANE = '(7264, 21)';
const PDF_WAITS = '(7264, 22)';
/** How often a sync looks whether PDFs still wait. */
const LOOK_MS = 50;

/**
 * Fiken's rule of one request at a time, over all processes: locks of the database's, on a connection of its own, which end
 * with the process that holds them. PDFs, for which somebody waits, go before syncs.
 */
@Injectable()
export class FikenLaneService implements OnApplicationShutdown {
  private readonly queue = new LaneQueue();
  private session: LaneSession | undefined;
  private serving = false;

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
    void this.serve();
    const lost = await ticket.turn;
    try {
      return await work(AbortSignal.any([signal, lost]));
    } finally {
      ticket.leave();
    }
  }

  onApplicationShutdown(): void {
    this.session?.abandon();
  }

  private async serve(): Promise<void> {
    if (this.serving) return;
    this.serving = true;
    for (let ticket = this.queue.next(); ticket; ticket = this.queue.next()) {
      try {
        await this.serveOne(await this.connected(), ticket);
      } catch (error) {
        this.queue.fail(error);
        this.session?.abandon();
      }
    }
    this.serving = false;
  }

  private async serveOne(session: LaneSession, { urgency }: LaneTicket): Promise<void> {
    if (urgency === 'pdf') await session.query(`select pg_advisory_lock_shared${PDF_WAITS}`);
    else if (!(await this.pdfsDone(session))) return;
    // Whoever it was for may have given up meanwhile: then it is the next one's, and nobody's request is made.
    const ticket = (await this.locked(session, urgency)) ? this.queue.take(urgency) : undefined;
    if (ticket) await ticket.serve(session.lost);
    // What cannot be unlocked ends with its session; those who wait now get another.
    await session.query('select pg_advisory_unlock_all()').catch(() => session.abandon());
  }

  /** Waits for the lane; false if it is no longer wanted for this. */
  private async locked(session: LaneSession, urgency: Urgency): Promise<boolean> {
    while (this.queue.next()?.urgency === urgency) {
      try {
        await session.query(`select pg_advisory_lock${LANE}`);
        return true;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
    }
    return false;
  }

  /** Waits until nobody waits for a PDF; false if one is asked for here meanwhile. */
  private async pdfsDone(session: LaneSession): Promise<boolean> {
    for (;;) {
      const row = await session.query<{ free: boolean }>(
        `select case when pg_try_advisory_lock${PDF_WAITS} then pg_advisory_unlock${PDF_WAITS} else false end as free`,
      );
      if (row?.free) return true;
      if (this.queue.next()?.urgency !== 'sync') return false;
      await sleep(LOOK_MS);
    }
  }

  private async connected(): Promise<LaneSession> {
    if (!this.session || this.session.lost.aborted) this.session = await LaneSession.open(this.settings.client);
    return this.session;
  }
}
