import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AiStress } from './ai-stress';
import type { ApiProcess } from './api-process';
import { until } from './until';

const JSON_TYPE = { 'content-type': 'application/json' };
const MESSAGE = { messages: [{ role: 'user', content: 'x' }], max_tokens: 20 };
const TICKET = { title: 'A question', body: 'How do I …?' };

/** A customer who sends AI messages and tickets one after the other, and repeats with the same key what is refused for now. */
interface AtWork {
  id: string;
  token: string;
  messages: number;
  tickets: number;
}

/** Customers at work over HTTP, to see what becomes of their requests meanwhile. */
export class CustomersAtWork {
  readonly customers: AtWork[] = [];
  /** Replies by their status; `none` if the connection ended. */
  readonly replies: Record<string, number> = {};
  longestMs = 0;
  private working = true;
  private loops: Promise<void>[] = [];

  constructor(
    private readonly stress: AiStress,
    private api: ApiProcess,
  ) {}

  async add(count: number): Promise<void> {
    for (let added = 0; added < count; added++)
      this.customers.push({ ...(await this.stress.customer({ included: 100_000 })), messages: 0, tickets: 0 });
  }

  start(): void {
    this.loops = this.customers.map((customer) => this.work(customer));
  }

  /** Waits until each customer has had a message and a ticket answered since now. */
  async servedSince(): Promise<void> {
    const before = this.customers.map(({ messages, tickets }) => ({ messages, tickets }));
    await until(
      () =>
        this.customers.every(
          ({ messages, tickets }, at) => messages > (before[at]?.messages ?? 0) && tickets > (before[at]?.tickets ?? 0),
        ),
      20,
    );
  }

  /** From now on requests go to another process. */
  goTo(api: ApiProcess): void {
    this.api = api;
  }

  /** Ends the work: every request that was begun has been answered with 201. */
  async end(): Promise<void> {
    this.working = false;
    await Promise.all(this.loops);
  }

  /** What the database has of each customer, and what the customer was told. */
  async books(stress = this.stress): Promise<{ kept: object; told: object }[]> {
    const found: { kept: object; told: object }[] = [];
    for (const { id, messages, tickets } of this.customers) {
      const { rows } = await stress.superuser.query<{ count: number }>(
        'select count(*)::int as count from support_ticket where customer_id = $1',
        [id],
      );
      const { problems, reserved, usages, duplicates } = await stress.audit(id);
      found.push({
        kept: { problems, reserved, duplicates, messages: usages, tickets: rows[0]?.count },
        told: { problems: [], reserved: 0, duplicates: 0, messages, tickets },
      });
    }
    return found;
  }

  private async work(customer: AtWork): Promise<void> {
    while (this.working) {
      await this.send(customer, '/ai/messages', MESSAGE);
      customer.messages++;
      await this.send(customer, '/support/tickets', TICKET);
      customer.tickets++;
    }
  }

  private async send({ token }: AtWork, path: string, body: object): Promise<void> {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() };
    const startedAt = performance.now();
    for (;;) {
      const status = await fetch(`${this.api.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        .then(async (reply) => reply.arrayBuffer().then(() => String(reply.status)))
        .catch(() => 'none');
      this.replies[status] = (this.replies[status] ?? 0) + 1;
      this.longestMs = Math.max(this.longestMs, Math.round(performance.now() - startedAt));
      if (status === '201') return;
      await delay(50);
    }
  }
}
