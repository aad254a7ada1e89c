import { type IncomingHttpHeaders } from 'node:http';
import { type FastifyRequest } from 'fastify';
import { CountLatch } from './count-latch';

/** A received request. */
export interface ReceivedRequest {
  method: string;
  /** Path and query, with the prefix of the upstream. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The body byte for byte; empty when there was none. */
  body: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** The requests that an upstream received, oldest first, up to a limit. */
export class RequestLog {
  private readonly latch = new CountLatch();
  private readonly kept: ReceivedRequest[] = [];
  private received = 0;

  constructor(private readonly limit: number) {}

  add(request: FastifyRequest): ReceivedRequest {
    const entry: ReceivedRequest = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: Buffer.isBuffer(request.body) ? request.body : NOTHING,
    };
    if (this.limit > 0) {
      if (this.kept.length === this.limit) this.kept.shift();
      this.kept.push(entry);
    }
    this.received += 1;
    this.latch.reach(this.received);
    return entry;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.kept;
  }

  get total(): number {
    return this.received;
  }

  reached(total: number): Promise<void> {
    return this.latch.reached(total);
  }

  clear(): void {
    this.kept.length = 0;
    this.received = 0;
    this.latch.drop(0);
  }
}
