import { pino } from 'pino';
import type { AppConfig } from '@platform/config';
import { LogFile } from './log-files';

/** A request that was answered. */
export interface AccessLogEntry {
  requestId: string;
  customerId: string | undefined;
  tokenId: string | undefined;
  /** The fingerprint of a token that was refused. */
  refusedToken?: string | undefined;
  method: string;
  /** The route's pattern; undefined when no route answers to the address. */
  route: string | undefined;
  status: number;
  /** Of the error that it was answered with. */
  code?: string | undefined;
  durationMs: number;
  /** The trace that it is part of; undefined while traces are off. */
  traceId?: string | undefined;
}

/** Lines that are written together; the rest is written every second and at exit. */
const LINES = 100;
const FLUSH_EVERY_MS = 1000;

/**
 * Writes one line for each request, in the format of all other log lines. Every request pays for it, so the line is
 * composed here instead of by the logger, which takes several times as long: its fields are known, none contains a
 * secret (an id that a caller gave is not taken if it has a token in it), and only texts from outside need quoting.
 */
export class AccessLog {
  private readonly destination = pino.destination({ dest: 1, sync: false, minLength: 0 });
  private readonly file?: LogFile;
  private lines: string[] = [];
  private second = 0;
  private secondText = '';

  constructor({ LOG_DIRECTORY }: Pick<AppConfig, 'LOG_DIRECTORY'>) {
    setInterval(() => this.flush(), FLUSH_EVERY_MS).unref();
    process.once('exit', () => {
      this.flush();
      this.destination.flushSync();
    });
    // It ends behind that, with the lines that were left.
    if (LOG_DIRECTORY !== undefined) this.file = new LogFile(LOG_DIRECTORY);
  }

  /** Whether the settings ask for request logs. */
  static isWanted({ LOG_LEVEL }: AppConfig): boolean {
    return ['trace', 'debug', 'info'].includes(LOG_LEVEL);
  }

  write(entry: AccessLogEntry): void {
    const { requestId, customerId, tokenId, refusedToken, method, route, status, code, durationMs, traceId } = entry;
    const refused = refusedToken === undefined ? '' : `"refused_token":"${refusedToken}",`;
    const caller = customerId === undefined ? refused : `"customer_id":"${customerId}","token_id":"${tokenId ?? ''}",`;
    const reason = code === undefined ? '' : `"code":"${code}",`;
    const trace = traceId === undefined ? '' : `"trace_id":"${traceId}",`;
    this.lines.push(
      `{"level":"info","time":"${this.now()}","request_id":${JSON.stringify(requestId)},${caller}${trace}"method":"${method}",` +
        `"route":${route === undefined ? 'null' : JSON.stringify(route)},"status":${status},${reason}` +
        `"duration_ms":${Math.round(durationMs * 10) / 10},"msg":"request"}\n`,
    );
    if (this.lines.length >= LINES) this.flush();
  }

  private flush(): void {
    if (this.lines.length === 0) return;
    const lines = this.lines.join('');
    this.destination.write(lines);
    this.file?.write(lines);
    this.lines = [];
  }

  /** The time as RFC 3339; all but the milliseconds is formatted once a second. */
  private now(): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.second) {
      this.second = second;
      this.secondText = new Date(second * 1000).toISOString().slice(0, 20);
    }
    return `${this.secondText}${String(now % 1000).padStart(3, '0')}Z`;
  }
}
