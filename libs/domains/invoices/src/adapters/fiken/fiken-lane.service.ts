import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type ConnectionSettings,
  DatabaseUnavailableError,
  DeadlineClient,
  isLockTimeout,
  PIPELINE_SETTINGS,
  type PipelineSettings,
} from '@platform/database';
import { SourceError } from '../../ports/billing-source.port';

/**
 * Advisory locks: the process that holds LANE may call Fiken; a process that waits for a PDF holds the other one. The
 * numbers only have to be unique within this project.
 */
const LANE = '(7264, 21)';
const PDF_WAITS = '(7264, 22)';
/** How often a sync checks whether PDFs are still waiting. */
const LOOK_MS = 50;
/** How long a request of a sync lets PDFs go first; then it takes its turn among them. */
const SYNC_PATIENCE_MS = 1_000;

/**
 * Longest time without a reply. Every statement is answered soon, as locks are waited for in short steps; an idle
 * session sends a probe. A connection without replies is dropped, and the server ends a session that it hears nothing
 * from.
 */
const PROBE_MS = 2_000;
const ANSWER_MS = 6_000;
const SETTINGS = `set statement_timeout = 0; set lock_timeout = '2s'; set idle_session_timeout = '15s';
  set client_connection_check_interval = '2s';
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3`;

/** The purpose of a call. */
type Urgency = 'pdf' | 'sync';

/** The lane did not become free in time. */
class LaneBusyError extends SourceError {
  constructor() {
    super('Fiken takes one request at a time, and others were first', 5_000);
  }
}

/**
 * Enforces Fiken's rule of one request at a time, over all processes: with advisory locks on a separate connection,
 * which end with the process that holds them. PDFs, for which a customer waits, go before syncs, though not for ever.
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
    this.session?.disconnect();
  }

  private async serve(): Promise<void> {
    if (this.serving) return;
    this.serving = true;
    for (let ticket = this.queue.next(); ticket; ticket = this.queue.next()) {
      try {
        await this.serveOne(await this.connected(), ticket);
      } catch (error) {
        this.queue.fail(error);
        this.session?.disconnect();
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
    await session.query('select pg_advisory_unlock_all()').catch(() => session.disconnect());
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

  /**
   * Waits until no process waits for a PDF, or the next sync has waited for long enough; false if a PDF is requested in
   * this process meanwhile.
   */
  private async pdfsDone(session: LaneSession): Promise<boolean> {
    for (;;) {
      const next = this.queue.next();
      if (next?.urgency !== 'sync') return false;
      // From now on the database gives it the lane in order of arrival.
      if (next.isOverdue) return true;
      const row = await session.query<{ free: boolean }>(
        `select case when pg_try_advisory_lock${PDF_WAITS} then pg_advisory_unlock${PDF_WAITS} else false end as free`,
      );
      if (row?.free) return true;
      await sleep(LOOK_MS);
    }
  }

  private async connected(): Promise<LaneSession> {
    if (!this.session || this.session.lost.aborted) this.session = await LaneSession.open(this.settings.client);
    return this.session;
  }
}

/** A call that waits for the lane or has it. */
class LaneTicket {
  private readonly coming = Promise.withResolvers<AbortSignal>();
  private readonly left = Promise.withResolvers<void>();
  private readonly arrivedAt = performance.now();

  constructor(readonly urgency: Urgency) {}

  /** Whether it is one of a sync that has let PDFs go first for long enough. */
  get isOverdue(): boolean {
    return this.urgency === 'sync' && performance.now() - this.arrivedAt >= SYNC_PATIENCE_MS;
  }

  /** Resolves when the call has the lane, with a signal that aborts if the lane is lost. */
  get turn(): Promise<AbortSignal> {
    return this.coming.promise;
  }

  /** Gives the lane to the call until it leaves. */
  serve(lost: AbortSignal): Promise<void> {
    this.coming.resolve(lost);
    return this.left.promise;
  }

  refuse(reason: unknown): void {
    this.coming.reject(reason);
  }

  leave(): void {
    this.left.resolve();
  }
}

/** The calls of this process that wait for the lane: PDFs first, but no two before a sync that is overdue. */
class LaneQueue {
  private waiting: LaneTicket[] = [];
  private latest: Urgency | undefined;

  /** Joins the queue. The ticket's turn rejects when the signal aborts or after `waitMs`. */
  enter(urgency: Urgency, signal: AbortSignal, waitMs?: number): LaneTicket {
    signal.throwIfAborted();
    const ticket = new LaneTicket(urgency);
    const reject = (reason: unknown) => {
      if (this.remove(ticket)) ticket.refuse(reason);
    };
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = waitMs === undefined ? undefined : setTimeout(() => reject(new LaneBusyError()), waitMs);
    const settled = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    ticket.turn.then(settled, settled);
    this.waiting.push(ticket);
    return ticket;
  }

  /** The next ticket. */
  next(): LaneTicket | undefined {
    const pdf = this.waiting.find(({ urgency }) => urgency === 'pdf');
    const sync = this.waiting.find(({ urgency }) => urgency === 'sync');
    return pdf && !(sync?.isOverdue && this.latest === 'pdf') ? pdf : sync;
  }

  /** Removes the next ticket from the queue, if it has this urgency. */
  take(urgency: Urgency): LaneTicket | undefined {
    const ticket = this.next();
    if (ticket?.urgency !== urgency) return undefined;
    this.latest = urgency;
    this.remove(ticket);
    return ticket;
  }

  /** Rejects all tickets because the lane is not available. */
  fail(reason: unknown): void {
    for (const ticket of this.waiting.splice(0)) ticket.refuse(reason);
  }

  private remove(ticket: LaneTicket): boolean {
    const index = this.waiting.indexOf(ticket);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }
}

/** A database session that holds locks for this process, and notices soon when it has lost them. */
class LaneSession {
  private readonly end = new AbortController();
  /** Settles when the last statement is answered. */
  private latest: Promise<unknown> = Promise.resolve();
  private unanswered = 0;
  private probe: NodeJS.Timeout | undefined;

  private constructor(private readonly client: DeadlineClient) {
    // An error ends the connection, too.
    client.once('end', () => this.lose());
  }

  static async open(settings: ConnectionSettings): Promise<LaneSession> {
    const client = new DeadlineClient({ ...settings, query_timeout: ANSWER_MS });
    const session = new LaneSession(client);
    try {
      await client.connect();
      await client.query(SETTINGS);
      session.probeLater();
    } catch (error) {
      session.disconnect();
      throw error;
    }
    return session;
  }

  /** Aborts when the session, and with it every lock, is lost. */
  get lost(): AbortSignal {
    return this.end.signal;
  }

  /**
   * @returns the first row. @throws the driver's error; for locks that are not available within 2 s see isLockTimeout
   */
  query<Row extends object = object>(statement: string): Promise<Row | undefined> {
    clearTimeout(this.probe);
    // One statement at a time: the time-out of each begins when it is sent.
    const answer = this.latest.then(async () => (await this.client.query<Row>(statement)).rows[0]);
    this.unanswered++;
    const done = () => --this.unanswered || this.probeLater();
    this.latest = answer.then(done, done);
    return answer;
  }

  /** Ends the session at once, whether the server responds or not. */
  disconnect(): void {
    this.lose();
    this.client.disconnect();
  }

  private lose(): void {
    clearTimeout(this.probe);
    this.end.abort(new DatabaseUnavailableError(new Error('The lock on the lane to Fiken was lost')));
  }

  private probeLater(): void {
    if (this.lost.aborted) return;
    this.probe = setTimeout(() => void this.query('select').catch(() => undefined), PROBE_MS).unref();
  }
}
