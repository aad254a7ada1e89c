import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { customerIds, eachIndependently } from '@platform/database';
import { concludedWithinMs } from '../sms-values';

/** Customers with messages that have no outcome after a time ($3). In the words of the index. */
const CUSTOMERS = `
  select distinct customer_id as id from sms_message
  where status = 'unknown' and error_code is null and created_at < app.now() - $3::interval and customer_id > $1
  order by customer_id limit $2`;

/**
 * After an outage of the database processes store the outcomes that wait for it, one after the other. Nobody is to hear first that
 * they are unknown: their customers were told them, and would send the messages again.
 */
const STORED_LATER_MS = 60_000;

const GIVE_UP = 'select app.give_up_sms($1, $2::interval) as done';

/** Tells customers of messages whose process died while it sent them: nobody else will. */
@Injectable()
export class UnconfirmedSmsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /** Stores that the outcome is unknown, which writes the event. A later outcome overrules it. @returns how many */
  async giveUp(signal?: AbortSignal): Promise<number> {
    const within = `${concludedWithinMs(this.config) + STORED_LATER_MS} milliseconds`;
    let total = 0;
    const giveUp = async (id: string) => {
      const [row] = await this.dataSource.query<{ done: number }[]>(GIVE_UP, [id, within]);
      total += row?.done ?? 0;
    };
    await eachIndependently(customerIds(this.dataSource, CUSTOMERS, [within]), giveUp, signal);
    return total;
  }
}
