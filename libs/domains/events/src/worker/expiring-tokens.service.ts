import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { customerIds, eachIndependently } from '@platform/database';

/** Active customers with tokens that expire soon, and of which they may not have been told. */
const CUSTOMERS = `
  select distinct t.customer_id as id from service_token t join customer c on c.id = t.customer_id
  where t.active and c.active and t.expires_at between app.now() and app.now() + interval '14 days'
    and coalesce(t.expiry_told_days, 15) > 1 and t.customer_id > $1
  order by t.customer_id limit $2`;

/** Tells customers of tokens that expire soon. */
@Injectable()
export class ExpiringTokensService {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns how many events were written */
  async announce(signal?: AbortSignal): Promise<number> {
    let told = 0;
    const announce = async (id: string) => {
      const [row] = await this.dataSource.query<{ told: number }[]>('select app.announce_expiring_tokens($1) as told', [
        id,
      ]);
      told += row?.told ?? 0;
    };
    await eachIndependently(customerIds(this.dataSource, CUSTOMERS), announce, signal);
    return told;
  }
}
