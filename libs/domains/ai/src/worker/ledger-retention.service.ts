import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { customerPages } from '@platform/database';

/** Accounts whose ledger is not carried forward to a time ($3) yet. */
const TO_CARRY = `
  select a.customer_id as id from ai_account a
  where a.customer_id > $1 and not exists (
    select from ai_ledger_carried c where c.customer_id = a.customer_id and c.before >= $3)
  order by a.customer_id limit $2`;

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
    for await (const page of customerPages(this.dataSource, TO_CARRY, [before])) {
      for (const id of page) {
        if (signal?.aborted) return false;
        const [row] = await this.dataSource.query<{ done: boolean }[]>('select app.ai_carry_forward($1, $2) as done', [
          id,
          before,
        ]);
        complete &&= row?.done ?? false;
      }
    }
    return complete;
  }
}
