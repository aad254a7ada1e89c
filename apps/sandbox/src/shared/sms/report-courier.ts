import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** A delivery report to send. */
export interface OutgoingReport {
  /** May contain `user:password@`, which becomes a Basic header. */
  url: string;
  contentType: string;
  body: string;
  /** Whether this status of the receiver ends the attempts. */
  accepted: (status: number) => boolean;
}

/** One attempt to send a delivery report. */
export interface ReportAttempt {
  url: string;
  body: string;
  /** 1 for the first. */
  attempt: number;
  /** The receiver's status; undefined if it did not reply. */
  status?: number;
  error?: string;
}

const MAX_ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 100;

/** Sends delivery reports, with up to 5 attempts, 0.1 s to 0.8 s apart, until the receiver accepts them. */
export class ReportCourier {
  private readonly agent = new Agent();
  private readonly stop = new AbortController();
  private readonly underway = new Set<Promise<void>>();
  private readonly made: ReportAttempt[] = [];

  constructor(private readonly recordLimit: number) {}

  get attempts(): readonly ReportAttempt[] {
    return this.made;
  }

  clear(): void {
    this.made.length = 0;
  }

  /** Sends reports one after the other, after `start` has resolved. */
  deliver(reports: OutgoingReport[], start: Promise<unknown> = Promise.resolve()): Promise<void> {
    const work = start.then(async () => {
      for (const report of reports) await this.post(report);
    });
    const tracked: Promise<void> = work
      .catch((error: unknown) => {
        if (!this.stop.signal.aborted) throw error;
      })
      .finally(() => this.underway.delete(tracked));
    this.underway.add(tracked);
    return tracked;
  }

  /** Resolves when no report is in progress, including those of requests that are not yet answered. */
  async settled(): Promise<void> {
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  /** A pause that ends early when the sandbox stops. */
  pause(milliseconds: number): Promise<void> {
    return milliseconds === 0 ? Promise.resolve() : sleep(milliseconds, undefined, { signal: this.stop.signal });
  }

  async close(): Promise<void> {
    this.stop.abort();
    await this.agent.destroy();
  }

  private async post(report: OutgoingReport): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const outcome = await this.attempt(report);
      if (this.made.length === this.recordLimit) this.made.shift();
      if (this.recordLimit > 0) this.made.push({ url: report.url, body: report.body, attempt, ...outcome });
      if (outcome.final) return;
      if (attempt < MAX_ATTEMPTS) await this.pause(FIRST_BACKOFF_MS * 2 ** (attempt - 1));
    }
  }

  private async attempt(report: OutgoingReport): Promise<{ status?: number; error?: string; final: boolean }> {
    const url = new URL(report.url);
    if (!isLoopback(url))
      return { error: 'not a loopback address: the sandbox reports to this machine only', final: true };
    const headers: Record<string, string> = { 'content-type': report.contentType };
    if (url.username) headers.authorization = `Basic ${basic(url)}`;
    url.username = '';
    url.password = '';
    try {
      const { signal } = this.stop;
      const reply = await request(url, { method: 'POST', headers, body: report.body, dispatcher: this.agent, signal });
      await reply.body.dump();
      return { status: reply.statusCode, final: report.accepted(reply.statusCode) };
    } catch (error) {
      this.stop.signal.throwIfAborted();
      return { error: (error as Error).message, final: false };
    }
  }
}

function basic(url: URL): string {
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  return Buffer.from(`${user}:${password}`).toString('base64');
}

/** The sandbox must never send anything to another machine, even if it is given its address. */
function isLoopback({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

type Body = Pick<OutgoingReport, 'contentType' | 'body'>;

/** The body of a delivery report as a form. */
export function asForm(fields: object): Body {
  const form = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { contentType: 'application/x-www-form-urlencoded', body: form.toString() };
}

/** The body of a delivery report as JSON. */
export function asJson(fields: object): Body {
  return { contentType: 'application/json', body: JSON.stringify(fields) };
}
