import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { customerIds, eachIndependently } from '@platform/database';

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
   * @throws AggregateError if accounts failed; nothing may be dropped then either
   */
  async carryForward(before: Date, signal?: AbortSignal): Promise<boolean> {
    let left = 0;
    const carry = async (id: string) => {
      const [row] = await this.dataSource.query<{ done: boolean }[]>('select app.ai_carry_forward($1, $2) as done', [
        id,
        before,
      ]);
      if (!row?.done) left++;
    };
    await eachIndependently(customerIds(this.dataSource, TO_CARRY, [before]), carry, signal);
    return left === 0 && !signal?.aborted;
  }
}
