import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Client } from 'pg';
import { generateToken } from '@platform/tokens';
import { type ApiProcess, startApiProcess } from './api-process';
import { saveFakeCustomer } from './factories/customer.factory';
import { saveFakeToken } from './factories/service-token.factory';
import { saveLargeTickets } from './factories/ticket.factory';
import type { TestDatabase } from './test-database';

const CLIENT = join(process.cwd(), 'test', 'support', 'attack-client.cjs');
/** Connections of an attacker. */
const CONNECTIONS = 64;

/** A request of an attack. */
interface HostileRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Requests that cost the service much, of one customer or of one network address. */
export const SHARE_ATTACKS: Record<string, (attacker: string) => HostileRequest[]> = {
  'the largest pages of tickets': (token) => [
    { method: 'GET', path: '/api/v1/support/tickets?limit=2', headers: as(token) },
  ],
  'bodies of 9,990 unknown names': (token) => [
    {
      method: 'POST',
      path: '/api/v1/support/tickets',
      headers: { ...as(token), 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(Array.from({ length: 9990 }, (_, place) => [`u${place}`, 1]))),
    },
  ],
  'writes of tickets': (token) => [
    {
      method: 'POST',
      path: '/api/v1/support/tickets',
      headers: { ...as(token), 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'A ticket', body: 'x'.repeat(5000) }),
    },
  ],
  'ever new unknown tokens': () =>
    Array.from({ length: 20_000 }, () => ({ method: 'GET', path: '/api/v1/customer', headers: as(generateToken()) })),
  'files of the documentation': () =>
    ['/docs/swagger-ui-bundle.js', '/docs', '/openapi.json'].map((path) => ({
      method: 'GET',
      path,
      headers: { 'accept-encoding': 'gzip' },
    })),
};

function as(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** What a client of a worker thread saw. */
export interface Seen {
  /** Milliseconds of the neighbour's replies. */
  replies: number[];
  /** Replies by status; 0: none. */
  tally: Record<string, number>;
  /** The details of refusals. */
  texts: string[];
}

/** A client that runs in a thread of its own. */
class AttackClient {
  private readonly worker: Worker;

  constructor(workerData: { origin: string; requests: HostileRequest[]; connections?: number; everyMs?: number }) {
    this.worker = new Worker(CLIENT, { workerData });
  }

  look(): Promise<Seen> {
    return this.ask('look');
  }

  /** @returns what was seen since it was last asked to begin anew */
  stop(): Promise<Seen> {
    return this.ask('stop');
  }

  beginAnew(): void {
    this.worker.postMessage('begin anew');
  }

  private async ask(what: string): Promise<Seen> {
    const answered = once(this.worker, 'message') as Promise<[Seen]>;
    this.worker.postMessage(what);
    const [seen] = await answered;
    return seen;
  }
}

/** What became of an attack. */
export interface Outcome {
  attacker: Seen;
  /** Before and during the attack. */
  before: Seen;
  neighbour: Seen;
}

/** An API with a customer that attacks and another that reads its own record. */
export class AttackedApi {
  private constructor(
    readonly api: ApiProcess,
    private readonly attackerToken: string,
    private readonly neighbourToken: string,
  ) {}

  /** @param settings beyond those that let a customer ask as often as it can */
  static async start(
    database: TestDatabase,
    superuser: Client,
    settings: Record<string, string>,
  ): Promise<AttackedApi> {
    const [attacker, neighbour] = [await saveFakeCustomer(superuser), await saveFakeCustomer(superuser)];
    await saveLargeTickets(superuser, attacker.id, 20);
    const api = await startApiProcess({
      DATABASE_URL: database.url,
      // As in a container of 1 GB.
      NODE_OPTIONS: '--max-old-space-size=512',
      ...Object.fromEntries(['REQUESTS', 'ADDRESS'].map((limit) => [`RATE_LIMIT_${limit}_PER_MINUTE`, '1000000000'])),
      STORED_BYTES_PER_DAY: '100000000000',
      ...settings,
    });
    const [{ token: one }, { token: two }] = [
      await saveFakeToken(superuser, attacker.id),
      await saveFakeToken(superuser, neighbour.id),
    ];
    return new AttackedApi(api, one, two);
  }

  /**
   * Lets the neighbour read alone for `aloneMs`, then attacks until `isEnough`, looked at twice a second, is content with what the
   * attacker and the neighbour have seen. @param everyMs time from one request of the neighbour to the next
   */
  async attack(
    kind: string,
    aloneMs: number,
    isEnough: (attacker: Seen, neighbour: Seen) => boolean,
    everyMs = 50,
  ): Promise<Outcome> {
    const { origin } = this.api;
    const requests = SHARE_ATTACKS[kind]?.(this.attackerToken) ?? [];
    const reads = [{ method: 'GET', path: '/api/v1/customer', headers: as(this.neighbourToken) }];
    const neighbour = new AttackClient({ origin, requests: reads, everyMs });
    await wait(aloneMs);
    const before = await neighbour.look();
    neighbour.beginAnew();
    const attacker = new AttackClient({ origin, requests, connections: CONNECTIONS });
    let seen: [Seen, Seen];
    do {
      await wait(500);
      seen = [await attacker.look(), await neighbour.look()];
    } while (!isEnough(...seen));
    return { before, neighbour: await neighbour.stop(), attacker: await attacker.stop() };
  }
}

/** The time that 99 of a hundred replies took at most. */
export function p99({ replies }: Seen): number {
  const sorted = replies.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
}

/** Replies with a status of 500 and more, or none at all. */
export function failures({ tally }: Seen): number {
  return Object.entries(tally).reduce(
    (sum, [status, count]) => sum + (Number(status) >= 500 || status === '0' ? count : 0),
    0,
  );
}
