import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Active customers with tokens that expire soon, and of which they may not have been told. */
const CUSTOMERS = `
  select distinct t.customer_id from service_token t join customer c on c.id = t.customer_id
  where t.active and c.active and t.expires_at between app.now() and app.now() + interval '14 days'
    and coalesce(t.expiry_told_days, 15) > 1`;

/** Tells customers of tokens that expire soon. */
@Injectable()
export class ExpiringTokensService {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns how many events were written */
  async announce(signal?: AbortSignal): Promise<number> {
    const customers = await this.dataSource.query<{ customer_id: string }[]>(CUSTOMERS);
    let told = 0;
    for (const { customer_id } of customers) {
      if (signal?.aborted) return told;
      const [row] = await this.dataSource.query<{ told: number }[]>('select app.announce_expiring_tokens($1) as told', [
        customer_id,
      ]);
      told += row?.told ?? 0;
    }
    return told;
  }
}
