import { isAscii } from 'node:buffer';
import { parseRetryAfter } from '../retry-after';
import { type ReceivedReply, UpstreamCallError } from '../upstream-call-error';

/** A complete reply. */
export class UpstreamReply implements ReceivedReply {
  /**
   * @param status never 1xx, and 3xx only if it is no redirect @param headers names in lower case; several of one name
   * are joined with a comma
   */
  constructor(
    private readonly source: { upstream: string; operation: string },
    readonly status: number,
    readonly headers: Readonly<Record<string, string>>,
    readonly body: Buffer,
  ) {}

  /** Whether the status is 2xx. */
  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** How long the upstream asks to wait. */
  get retryAfterMs(): number | undefined {
    return parseRetryAfter(this.headers['retry-after']);
  }

  /** The body's JSON. @throws UpstreamCallError not_json */
  json(): unknown {
    try {
      return JSON.parse(this.text());
    } catch {
      // The parser's message quotes the body.
      throw this.unusable('not_json');
    }
  }

  /** The JSON object in the body. @throws UpstreamCallError not_json, unexpected */
  requireJsonObject(): Record<string, unknown> {
    const value = this.json();
    if (!isObject(value)) throw this.unusable('unexpected', 'NO_OBJECT');
    return value;
  }

  /** The JSON object in the body; undefined if there is none. For refusals, which may have another format. */
  jsonObject(): Record<string, unknown> | undefined {
    try {
      const value: unknown = JSON.parse(this.text());
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }

  /** The body as text. */
  text(): string {
    // Most replies are ASCII, which is much quicker to decode.
    return isAscii(this.body) ? this.body.toString('latin1') : this.body.toString();
  }

  /** The error of an unusable reply. `detail` is one of our constants, nothing of the reply. */
  unusable(reason: 'not_json' | 'unexpected', detail?: string): UpstreamCallError {
    return new UpstreamCallError({ ...this.source, reason, sent: true, code: detail, reply: this });
  }

  /** The error of a status that the caller does not accept. */
  refused(): UpstreamCallError {
    return new UpstreamCallError({ ...this.source, reason: 'status', sent: true, reply: this });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
