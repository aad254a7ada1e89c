import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Client } from 'pg';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice } from './ai-factories';
import { type ApiProcess, startApiProcess } from './api-process';
import { saveFakeCustomer } from './factories/customer.factory';
import { saveFakeBillingAccount, saveFakeInvoice } from './factories/invoice.factory';
import { saveFakeToken } from './factories/service-token.factory';
import { allowSms } from './factories/sms-settings.factory';
import { saveLargeTickets } from './factories/ticket.factory';
import {
  ASYMMETRIC_ATTACKS,
  type Attack,
  type Attacker,
  CONNECTION_ATTACKS,
  HIDDEN_ATTACKS,
  type HostileRequest,
  MIXED_ATTACKS,
  SHARE_ATTACKS,
} from './hostile-requests';
import { type NginxProxy, startNginx } from './nginx-proxy';
import { rssMb } from './send-hostile-bodies';
import type { TestDatabase } from './test-database';

const CLIENT = join(process.cwd(), 'test', 'support', 'attack-client.cjs');
/** Connections of an attacker. */
const CONNECTIONS = 64;
/** How often an attacked API's memory is looked at. */
const LOOK_MS = 50;

/** What a client of a worker thread saw. */
export interface Seen {
  /** Milliseconds of the neighbour's replies, and of those for which it opened a connection. */
  replies: number[];
  onNew: number[];
  /** Replies by status; 0: none. */
  tally: Record<string, number>;
  /** The details of refusals. */
  texts: string[];
}

/** A client that runs in a thread of its own. */
export class AttackClient {
  private readonly worker: Worker;

  constructor(workerData: {
    origin: string;
    requests: HostileRequest[];
    connections?: number;
    everyMs?: number;
    localAddress?: string;
    giveWay?: boolean;
  }) {
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
  /** The most that the process took meanwhile, and the proxy. */
  largestRssMb: number;
  proxyRssMb: number;
}

/** How somebody attacks, and a neighbour reads. */
interface AttackOptions {
  /** The attacking program takes only what others leave of the processors, as if it ran on another machine. */
  giveWay?: boolean;
  everyMs?: number;
  connections?: number;
  neighbourAddress?: string;
}

/** An API with a customer that attacks and another that reads its own record. */
export class AttackedApi {
  private constructor(
    readonly api: ApiProcess,
    private readonly sandbox: Sandbox,
    private readonly proxy: NginxProxy | undefined,
    private readonly attacker: Attacker,
    private readonly neighbourToken: string,
  ) {}

  /** @param settings beyond those that let a customer ask as often as it can. @param arrange the size and the way of the attack */
  static async start(
    database: TestDatabase,
    superuser: Client,
    settings: Record<string, string>,
    { proxied = false, charges = 1000 } = {},
  ): Promise<AttackedApi> {
    const [attacker, neighbour] = [await saveFakeCustomer(superuser), await saveFakeCustomer(superuser)];
    await saveLargeTickets(superuser, attacker.id, 20);
    const [one, two] = [await saveFakeToken(superuser, attacker.id), await saveFakeToken(superuser, neighbour.id)];
    if (charges > 0) await saveCharges(superuser, attacker.id, one.id, charges);
    const sandbox = await startSandbox();
    await enableAi(superuser, attacker.id, { model: await saveModelPrice(superuser), included: 1_000_000 });
    await allowSms(superuser, attacker.id, 1_000_000);
    await saveFakeBillingAccount(superuser, attacker.id, 'stripe', attacker.id);
    const [issued] = sandbox.stripe.store.addInvoices({ customer: attacker.id, count: 1, statuses: ['open'] });
    const billed = { source: 'stripe', sourceId: issued?.id, pdfReference: issued?.id } as const;
    const invoice = await saveFakeInvoice(superuser, attacker.id, billed);
    const api = await startApiProcess({
      DATABASE_URL: database.url,
      // As in a container of 1 GB.
      NODE_OPTIONS: '--max-old-space-size=512 --max-semi-space-size=64',
      SANDBOX_URL: sandbox.url,
      ANTHROPIC_BASE_URL: sandbox.urls.messages,
      ANTHROPIC_API_KEY: 'sk-service-wide-key',
      SECRETS_KEY: randomBytes(32).toString('base64'),
      ...Object.fromEntries(
        ['REQUESTS', 'ADDRESS', 'AI', 'SMS'].map((limit) => [`RATE_LIMIT_${limit}_PER_MINUTE`, '1000000000']),
      ),
      STORED_BYTES_PER_DAY: '100000000000',
      ...(proxied && { TRUST_PROXY: '127.0.0.1' }),
      ...settings,
    });
    const proxy = proxied ? await startNginx(api.origin) : undefined;
    const own = { token: one.token, tokenId: one.id, invoiceId: invoice.id };
    return new AttackedApi(api, sandbox, proxy, own, two.token);
  }

  async stop(): Promise<void> {
    await this.proxy?.stop();
    await this.api.stop('SIGKILL');
    await this.sandbox.close();
  }

  /**
   * Lets the neighbour read alone for `aloneMs`, then attacks until `isEnough`, looked at twice a second, is content with what the
   * attacker and the neighbour have seen. @param options `everyMs`: time from one request of the neighbour to the next
   * `neighbourAddress`: its own; without it, it has that of the attacker
   */
  async attack(
    kind: string,
    aloneMs: number,
    isEnough: (attacker: Seen, neighbour: Seen) => boolean,
    { everyMs = 50, connections = CONNECTIONS, neighbourAddress, giveWay = false }: AttackOptions = {},
  ): Promise<Outcome> {
    const origin = this.proxy ? new URL(this.proxy.baseUrl).origin : this.api.origin;
    const attacks: Record<string, Attack> = {
      ...SHARE_ATTACKS,
      ...ASYMMETRIC_ATTACKS,
      ...HIDDEN_ATTACKS,
      ...CONNECTION_ATTACKS,
      ...MIXED_ATTACKS,
    };
    const requests = attacks[kind]?.(this.attacker) ?? [];
    const headers = { authorization: `Bearer ${this.neighbourToken}` };
    const read = { method: 'GET', path: '/api/v1/customer', headers };
    const isNew = { ...read, reconnect: true };
    const reads = requests.some(({ held, again }) => held !== undefined && !again) ? [isNew] : [read];
    // On a kept connection and on a new one in turn.
    if (requests.some(({ again, reconnect, abandonMs }) => again ?? reconnect ?? abandonMs)) reads.push(isNew);
    const neighbour = new AttackClient({
      origin,
      requests: reads,
      everyMs,
      ...(neighbourAddress !== undefined && { localAddress: neighbourAddress }),
    });
    await wait(aloneMs);
    const before = await neighbour.look();
    neighbour.beginAnew();
    const attacker = new AttackClient({ origin, requests, connections, giveWay });
    let [largestRssMb, proxyRssMb] = [0, 0];
    const sampling = setInterval(() => {
      largestRssMb = Math.max(largestRssMb, rssMb(this.api.child.pid));
      proxyRssMb = Math.max(proxyRssMb, this.proxy?.rssMb() ?? 0);
    }, LOOK_MS);
    let seen: [Seen, Seen];
    do {
      await wait(500);
      seen = [await attacker.look(), await neighbour.look()];
    } while (!isEnough(...seen));
    clearInterval(sampling);
    return { before, neighbour: await neighbour.stop(), attacker: await attacker.stop(), largestRssMb, proxyRssMb };
  }
}

/** Charges of a month, one in a thousand of a token, all others without one. */
async function saveCharges(superuser: Client, customerId: string, tokenId: string, count: number): Promise<void> {
  await superuser.query(
    `insert into ai_usage (customer_id, id, provider, model, input_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
       cache_read_tokens, output_tokens, cost, paid_from_included, token_id, created_at)
     select $1, (left(app.first_id(at)::text, 18) || right(gen_random_uuid()::text, 18))::uuid, 'anthropic', 'a',
       10, 0, 0, 0, 20, 0.1, 0.1, case when n % 40000 = 1 then $2::uuid end, at
     from (select n, now() - n * (interval '25 days' / $3) as at from generate_series(1, $3::int) n) c`,
    [customerId, tokenId, count],
  );
  await superuser.query(
    `insert into ai_usage_day select customer_id, (created_at at time zone 'Europe/Oslo')::date, model,
       coalesce(token_id, '00000000-0000-0000-0000-000000000000'), count(*), sum(input_tokens), 0, 0, 0, sum(output_tokens),
       sum(cost), 0, sum(paid_from_included), 0 from ai_usage where customer_id = $1 group by 1, 2, 3, 4`,
    [customerId],
  );
  await superuser.query('analyze ai_usage');
}

/** The time that 99 of a hundred replies took at most. */
export function p99({ replies }: Pick<Seen, 'replies'>): number {
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
