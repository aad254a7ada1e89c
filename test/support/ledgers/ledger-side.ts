import type { Client } from 'pg';
import { setDatabaseClock } from '../database-clock';
import type { LedgerStep, ReleaseCall, ReserveCall, SettleCall } from './ledger-step';

const TIME_ZONE = 'Europe/Oslo';
/** How a reservation is named on both sides: its id has the time at which a side made it, and ends like its seed. */
const TAIL = 17;

const calls = (type: string, parameter: string) =>
  `array(select c from json_populate_recordset(null::app.${type}, ${parameter}) c)`;

/** All rows that a ledger writes, with customers as their places and ids as the ends of their seeds. */
const ROWS = `
  select table_name as "table", array_position($1, customer_id) as owner, row - 'customer_id' as row from (
    select 'account' as table_name, customer_id, to_jsonb(t) as row from ai_account t
    union all select 'reservation', customer_id, to_jsonb(t) || jsonb_build_object('id', right(id::text, ${TAIL})) from ai_reservation t
    union all select 'usage', customer_id, to_jsonb(t) || jsonb_build_object('id', right(id::text, ${TAIL})) from ai_usage t
    union all select 'usage_day', customer_id, to_jsonb(t) from ai_usage_day t
    union all select 'entry', customer_id, to_jsonb(t) || jsonb_build_object('id', '', 'usage_id', right(usage_id::text, ${TAIL}))
      from ai_ledger_entry t
    union all select 'key', customer_id, to_jsonb(t) || jsonb_build_object('effect_id', right(effect_id::text, ${TAIL}))
      from idempotency_key t) rows
  where customer_id = any ($1)
  order by 1, 2, 3`;

/** Customers that one of the two ledgers serves, by its functions in the database. */
export class LedgerSide {
  private readonly ids = new Map<string, string>();

  /** @param customers sorted */
  constructor(
    private readonly client: Client,
    private readonly customers: string[],
    private readonly ledger: 'over many customers' | 'per customer',
    private readonly model: string,
    private readonly lifetimeMs: number,
  ) {}

  async rows(): Promise<unknown[]> {
    return (await this.client.query<object>(ROWS, [this.customers])).rows;
  }

  /** @returns what the ledger answers, without ids; the SQLSTATE of a statement that fails */
  async apply(what: LedgerStep): Promise<unknown> {
    switch (what.step) {
      case 'reserve':
        return this.reserve(what.calls, what.late).catch(sqlState);
      case 'settle':
        return this.settle(what.calls, what.late).catch(sqlState);
      case 'release':
        return this.release(what.calls);
      case 'abandon':
        return this.ask('select app.ai_resolve_abandoned($1)', this.customers[what.owner]);
      case 'roll over':
        return this.ask(
          'select app.ai_roll_over($1, app.billing_month(app.now(), $2), app.now())',
          this.customers[what.owner],
          TIME_ZONE,
        );
      case 'credit':
        return this.ask(
          `select app.ai_credit($1, app.billing_month(app.now(), $2), app.now(), 'manual_adjustment', $3, 'test', 'operator:test', null, null)`,
          this.customers[what.owner],
          TIME_ZONE,
          what.amount,
        );
      case 'limits':
        await this.ask(
          'update ai_settings set enabled = $2, monthly_limit = $3, total_limit = $4 where customer_id = $1',
          this.customers[what.owner],
          what.enabled,
          what.monthly,
          what.total,
        );
        return this.grant(what.owner);
      case 'include':
        await this.ask(
          `update customer_service set config = jsonb_build_object('monthly_included_nok', $2::numeric) where customer_id = $1`,
          this.customers[what.owner],
          what.amount,
        );
        return this.grant(what.owner);
      case 'price':
        await this.ask(
          `insert into ai_model_price (model, valid_from, input, cache_write_5m, cache_write_1h, cache_read, output)
           values ($1, app.now(), $2, $3, $4, $5, $6) on conflict do nothing`,
          this.model,
          ...what.rates,
        );
        return undefined;
      case 'time':
        return setDatabaseClock(this.client, { standsAt: what.at });
    }
  }

  private async reserve(batch: ReserveCall[], late: boolean): Promise<unknown> {
    const rest = [TIME_ZONE, `${this.lifetimeMs} milliseconds`, late ? '-infinity' : 'infinity'];
    const rows = await this.each<{ place: number; outcome: string; id: string | null; max_tokens: number }>(batch, {
      many: `select * from app.ai_reserve($1, $2, $3, ${calls('ai_reservation_request', '$4')}, $5, $6, $7, true, null)`,
      manyValues: ({ ids, first, last }, json) => [ids, first, last, json, ...rest],
      one: `select * from app.ai_reserve_for($1, ${calls('ai_reservation_request', '$2')}, $3, $4, $5, true, null)`,
      oneValues: (id, json) => [id, json, ...rest],
    });
    for (const { place, id } of rows) if (id) this.ids.set(batch[place - 1]!.seed, id);
    return rows.map(({ id, ...row }) => ({ ...row, id: id?.slice(-TAIL) }));
  }

  private async settle(batch: SettleCall[], late: boolean): Promise<unknown> {
    const rest = [TIME_ZONE, late ? '-infinity' : 'infinity'];
    return this.each(this.named(batch), {
      many: `select * from app.ai_settle($1, ${calls('ai_settlement', '$2')}, $3, $4, 'anthropic')`,
      manyValues: ({ ids }, json) => [ids, json, ...rest],
      one: `select * from app.ai_settle_for($1, ${calls('ai_settlement', '$2')}, $3, $4, 'anthropic')`,
      oneValues: (id, json) => [id, json, ...rest],
    });
  }

  private async release(batch: ReleaseCall[]): Promise<unknown> {
    const named = this.named(batch).map((call) => ({ ...call, ...(call.bySeed ? { id: null } : { seed: null }) }));
    return this.each(named, {
      many: `select * from app.ai_release($1, ${calls('ai_release_request', '$2')})`,
      manyValues: ({ ids }, json) => [ids, json],
      one: `select * from app.ai_release_for($1, ${calls('ai_release_request', '$2')})`,
      oneValues: (id, json) => [id, json],
    });
  }

  /** One statement for the batch, or one for each of its customers. @returns the rows in the order of the calls */
  private async each<Row extends { place: number }>(
    batch: { owner: number }[],
    by: {
      many: string;
      manyValues: (among: { ids: string[]; first: number[]; last: number[] }, json: string) => unknown[];
      one: string;
      oneValues: (customer: string, json: string) => unknown[];
    },
  ): Promise<Row[]> {
    const owners = batch.map(({ owner }) => owner);
    const present = [...new Set(owners)];
    const ids = present.map((owner) => this.customers[owner]!);
    const first = present.map((owner) => owners.indexOf(owner) + 1);
    const last = present.map((owner) => owners.lastIndexOf(owner) + 1);
    const rows: Row[] = [];
    if (this.ledger === 'over many customers') {
      const json = JSON.stringify(batch.map((call) => ({ ...call, owner: present.indexOf(call.owner) + 1 })));
      rows.push(...(await this.client.query<Row>(by.many, by.manyValues({ ids, first, last }, json))).rows);
    } else {
      for (const [index, customer] of ids.entries()) {
        const start = first[index]! - 1;
        const json = JSON.stringify(batch.slice(start, last[index]).map((call) => ({ ...call, owner: 1 })));
        const own = await this.client.query<Row>(by.one, by.oneValues(customer, json));
        rows.push(...own.rows.map((row) => ({ ...row, place: row.place + start })));
      }
    }
    return rows.sort((a, b) => a.place - b.place);
  }

  /** The calls with the ids of their reservations; a call that was never reserved is named by its seed. */
  private named<Call extends { seed: string }>(batch: Call[]): (Call & { id: string })[] {
    return batch.map((call) => ({ ...call, id: this.ids.get(call.seed) ?? call.seed }));
  }

  private grant(owner: number): Promise<unknown> {
    return this.ask(
      `select app.ai_grant_difference($1, app.billing_month(app.now(), $2), app.now(), 'operator:test')`,
      this.customers[owner],
      TIME_ZONE,
    );
  }

  private async ask(sql: string, ...values: unknown[]): Promise<unknown> {
    return (await this.client.query<object>(sql, values)).rows;
  }
}

function sqlState(error: unknown): unknown {
  return (error as { code?: string }).code ?? error;
}
