import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Number of customers per query. */
const BATCH_SIZE = 1_000;
const NO_CUSTOMER = '00000000-0000-0000-0000-000000000000';

/** Accounts after the given one ($2) whose ledger is not carried forward to a time ($1) yet. */
const TO_CARRY = `
  select a.customer_id as id from ai_account a
  where a.customer_id > $2 and not exists (
    select from ai_ledger_carried c where c.customer_id = a.customer_id and c.before >= $1)
  order by a.customer_id limit $3`;

/** Prepares months of the ledger for being dropped. */
@Injectable()
export class LedgerRetentionService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Carries every account's ledger forward to a time, customer by customer; idempotent.
   * @returns whether all accounts are: if not, nothing before that time may be dropped
   */
  async carryForward(before: Date, signal?: AbortSignal): Promise<boolean> {
    let complete = true;
    let last = NO_CUSTOMER;
    for (;;) {
      const customers = await this.dataSource.query<{ id: string }[]>(TO_CARRY, [before, last, BATCH_SIZE]);
      for (const { id } of customers) {
        if (signal?.aborted) return false;
        const [row] = await this.dataSource.query<{ done: boolean }[]>('select app.ai_carry_forward($1, $2) as done', [
          id,
          before,
        ]);
        complete &&= row?.done ?? false;
        last = id;
      }
      if (customers.length < BATCH_SIZE) return complete;
    }
  }
}
