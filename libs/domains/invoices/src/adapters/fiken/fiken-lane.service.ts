import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isLockTimeout, PIPELINE_SETTINGS, type PipelineSettings } from '@platform/database';
import { LaneQueue, type LaneTicket, type Urgency } from './lane-queue';
import { LaneSession } from './lane-session';

/**
 * Advisory locks: the process that holds LANE may call Fiken; a process that waits for a PDF holds the other one. The
 * numbers only have to be unique within this project.
 */
const LANE = '(7264, 21)';
const PDF_WAITS = '(7264, 22)';
/** How often a sync checks whether PDFs are still waiting. */
const LOOK_MS = 50;

/**
 * Enforces Fiken's rule of one request at a time, over all processes: with advisory locks on a separate connection,
 * which end with the process that holds them. PDFs, for which a customer waits, go before syncs.
 */
@Injectable()
export class FikenLaneService implements OnApplicationShutdown {
  private readonly queue = new LaneQueue();
  private session: LaneSession | undefined;
  private serving = false;

  constructor(@Inject(PIPELINE_SETTINGS) private readonly settings: PipelineSettings) {}

  /**
   * Runs `work` while no other process has a request in progress. Its signal aborts if the lock is lost. @throws
   * LaneBusyError if its turn does not come within `waitMs`; the signal's reason if it aborts
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
    // The caller may have given up in the meantime: then the next one gets the lane, and no request is made.
    const ticket = (await this.locked(session, urgency)) ? this.queue.take(urgency) : undefined;
    if (ticket) await ticket.serve(session.lost);
    // If the unlock fails, the locks end with their session; waiting calls get a new session.
    await session.query('select pg_advisory_unlock_all()').catch(() => session.abandon());
  }

  /** Waits for the lane; false if it is no longer needed. */
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

  /** Waits until no process waits for a PDF; false if a PDF is requested in this process meanwhile. */
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
