import { type ConnectionSettings, DatabaseUnavailableError, DeadlineClient } from '@platform/database';

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

/** A database session that holds locks for this process, and notices soon when it has lost them. */
export class LaneSession {
  private readonly end = new AbortController();
  /** Settles when the last statement is answered. */
  private latest: Promise<unknown> = Promise.resolve();
  private unanswered = 0;
  private probe: NodeJS.Timeout | undefined;

  private constructor(private readonly client: DeadlineClient) {
    client.on('error', () => this.lose());
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
      session.abandon();
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
  abandon(): void {
    this.lose();
    this.client.abandon();
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
