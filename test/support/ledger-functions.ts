import type { Client } from 'pg';
import type { ReserveItem, SettleItem, Units } from './ledger-model';

const TIME_ZONE = 'Europe/Oslo';

/** An item of a batch with the index of its customer. Batches are sorted by customer. */
export type Owned<Item> = Item & { owner: number };

/** Decimal text as a whole number of 10⁻¹² NOK. */
export function units(decimal: string): Units {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(decimal) ?? [];
  return BigInt(`${sign}${whole}${decimals.padEnd(12, '0')}`);
}

/** Whole number of 10⁻¹² NOK as decimal text. */
export function nok(amount: Units): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(13, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -12)}.${digits.slice(-12)}`;
}

/** A parameter with JSON objects, as an array of a composite type. */
const array = (type: string, parameter: string) =>
  `array(select call from json_populate_recordset(null::app.${type}, ${parameter}) call)`;

/** Whether a batch is one statement, or a statement for each of its customers. */
export type LedgerWay = 'over many customers' | 'per customer';

/** Calls the ledger's SQL functions: once for a whole batch, or once for each of its customers. */
export class LedgerFunctions {
  constructor(
    private readonly client: Client,
    private readonly customers: string[],
    private readonly lifetimeMs: number,
    private readonly way: LedgerWay,
  ) {}

  /** Tells each item that is reserved the id of its reservation. */
  async reserve(items: Owned<ReserveItem>[]): Promise<{ outcome: string; tokens: number }[]> {
    const one = this.way === 'per customer';
    const results: { outcome: string; tokens: number }[] = [];
    for (const part of this.parts(items)) results.push(...(await this.reserveTogether(part, one)));
    return results;
  }

  private async reserveTogether(items: Owned<ReserveItem>[], one: boolean) {
    const { ids, first, last } = this.among(items);
    const { rows } = await this.client.query<{ outcome: string; tokens: number; id: string }>(
      `select outcome, max_tokens as tokens, id
       from ${one ? 'app.ai_reserve_for($1' : 'app.ai_reserve($1, $5, $6'}, ${array('ai_reservation_request', '$2')}, $3, $4,
         'infinity', true, null)
       order by place`,
      [
        one ? ids[0] : ids,
        JSON.stringify(
          items.map(({ id, input, cache, max, least, mayShorten }) => ({
            ...{ seed: id, input_tokens: input, cache, max_tokens: max, least_tokens: least, may_shorten: mayShorten },
            request_id: 'request',
          })),
        ),
        TIME_ZONE,
        `${this.lifetimeMs} milliseconds`,
        ...(one ? [] : [first, last]),
      ],
    );
    return rows.map(({ outcome, tokens, id }, index) => {
      if (outcome === 'reserved') items[index]!.id = id;
      return { outcome, tokens };
    });
  }

  async settle(items: Owned<SettleItem>[]): Promise<{ uncovered: Units; late: boolean }[]> {
    const results: { uncovered: Units; late: boolean }[] = [];
    for (const part of this.parts(items)) results.push(...(await this.settleTogether(part)));
    return results;
  }

  private async settleTogether(items: Owned<SettleItem>[]) {
    const one = this.way === 'per customer';
    const { ids, owners } = this.among(items);
    const { rows } = await this.client.query<{ uncovered: string; late: boolean }>(
      `select uncovered, late
       from ${one ? 'app.ai_settle_for' : 'app.ai_settle'}($1, ${array('ai_settlement', '$2')}, $3, 'infinity', 'anthropic')
       order by place`,
      [
        one ? ids[0] : ids,
        JSON.stringify(
          items.map(({ id, tokens }, index) => ({
            ...{ owner: owners[index], id, input: tokens.input, read: tokens.read, output: tokens.output },
            ...{ write_5m: tokens.write5m, write_1h: tokens.write1h, streamed: false },
          })),
        ),
        TIME_ZONE,
      ],
    );
    return rows.map(({ uncovered, late }) => ({ uncovered: units(uncovered), late }));
  }

  async release(items: Owned<{ id: string }>[], state: string): Promise<string[]> {
    const results: string[] = [];
    for (const part of this.parts(items)) results.push(...(await this.releaseTogether(part, state)));
    return results;
  }

  private async releaseTogether(items: Owned<{ id: string }>[], state: string) {
    const one = this.way === 'per customer';
    const { ids, owners } = this.among(items);
    const { rows } = await this.client.query<{ outcome: string }>(
      `select outcome from ${one ? 'app.ai_release_for' : 'app.ai_release'}($1, ${array('ai_release_request', '$2')}) order by place`,
      [
        one ? ids[0] : ids,
        JSON.stringify(items.map(({ id }, index) => ({ owner: owners[index], id, outcome: state, reason: 'test' }))),
      ],
    );
    return rows.map(({ outcome }) => outcome);
  }

  abandon(owner: number): Promise<unknown> {
    return this.client.query('select app.ai_resolve_abandoned($1)', [this.customers[owner]]);
  }

  turn(owner: number): Promise<unknown> {
    return this.client.query('select app.ai_roll_over($1, app.billing_month(app.now(), $2), app.now())', [
      this.customers[owner],
      TIME_ZONE,
    ]);
  }

  async adjust(owner: number, amount: Units): Promise<boolean> {
    const { rows } = await this.client.query<{ applied: boolean }>(
      `select app.ai_credit($1, app.billing_month(app.now(), $2), app.now(), 'manual_adjustment', $3, 'test', 'operator:test',
         null, null) as applied`,
      [this.customers[owner], TIME_ZONE, nok(amount)],
    );
    return rows[0]!.applied;
  }

  /** The operator's settings. */
  configure(
    owner: number,
    what: { enabled: boolean; monthlyLimit: Units | null; totalLimit: Units | null },
  ): Promise<unknown> {
    const limits = [what.monthlyLimit, what.totalLimit].map((limit) => (limit === null ? null : nok(limit)));
    return this.client.query(
      'update ai_settings set enabled = $2, monthly_limit = $3, total_limit = $4 where customer_id = $1',
      [this.customers[owner], what.enabled, ...limits],
    );
  }

  async include(owner: number, monthIncludes: Units): Promise<void> {
    await this.client.query(
      `update customer_service set config = jsonb_build_object('monthly_included_nok', $2::numeric) where customer_id = $1`,
      [this.customers[owner], nok(monthIncludes)],
    );
    await this.grantRaise(owner);
  }

  grantRaise(owner: number): Promise<unknown> {
    return this.client.query(
      `select app.ai_grant_difference($1, app.billing_month(app.now(), $2), app.now(), 'operator:test')`,
      [this.customers[owner], TIME_ZONE],
    );
  }

  /** All balances, in the order of the customers. */
  async accounts() {
    const { rows } = await this.client.query<Record<string, string>>(
      `select month, included::text, carried_over::text, purchased::text, reserved::text, month_usage::text,
              month_included_usage::text, month_granted::text
       from ai_account where customer_id = any ($1) order by customer_id`,
      [this.customers],
    );
    return rows.map(({ month, ...amounts }) => ({
      month,
      ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, units(amount)])),
    }));
  }

  /** The items of a statement each. */
  private parts<Item extends { owner: number }>(items: Item[]): Item[][] {
    if (this.way === 'over many customers') return [items];
    return [...new Set(items.map(({ owner }) => owner))].map((one) => items.filter(({ owner }) => owner === one));
  }

  private among(items: { owner: number }[]) {
    const present = [...new Set(items.map(({ owner }) => owner))];
    const of = items.map(({ owner }) => owner);
    return {
      ids: present.map((owner) => this.customers[owner]),
      first: present.map((owner) => of.indexOf(owner) + 1),
      last: present.map((owner) => of.lastIndexOf(owner) + 1),
      owners: of.map((owner) => present.indexOf(owner) + 1),
    };
  }
}
