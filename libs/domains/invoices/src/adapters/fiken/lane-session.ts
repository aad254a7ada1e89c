import { type ConnectionSettings, DatabaseUnavailableError, DeadlineClient } from '@platform/database';

/**
 * Longest without an answer. Every statement is answered soon, as locks are waited for in pieces; an idle session asks for a
 * sign of life. A link that went silent is given up, and the server ends a session that it hears nothing of, later.
 */
const PROBE_MS = 2_000;
const ANSWER_MS = 6_000;
const SETTINGS = `set statement_timeout = 0; set lock_timeout = '2s'; set idle_session_timeout = '15s';
  set client_connection_check_interval = '2s';
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3`;

/** A session of the database's that holds locks for this process, and knows soon when it has lost them. */
export class LaneSession {
  private readonly end = new AbortController();
  /** Settles when what was asked last is answered. */
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

  /** Aborts when the session, and with it every lock, is gone. */
  get lost(): AbortSignal {
    return this.end.signal;
  }

  /** @returns the first row. @throws as the driver does; locks that are not to be had within 2 s: see isLockTimeout */
  query<Row extends object = object>(statement: string): Promise<Row | undefined> {
    clearTimeout(this.probe);
    // One at a time: its time to be answered counts from when it is sent.
    const answer = this.latest.then(async () => (await this.client.query<Row>(statement)).rows[0]);
    this.unanswered++;
    const done = () => --this.unanswered || this.probeLater();
    this.latest = answer.then(done, done);
    return answer;
  }

  /** Ends it at once, whether the server listens or not. */
  abandon(): void {
    this.lose();
    this.client.abandon();
  }

  private lose(): void {
    clearTimeout(this.probe);
    this.end.abort(new DatabaseUnavailableError(new Error('The hold on the lane to Fiken was lost')));
  }

  private probeLater(): void {
    if (this.lost.aborted) return;
    this.probe = setTimeout(() => void this.query('select').catch(() => undefined), PROBE_MS).unref();
  }
}
