import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Tells customers of tokens that expire soon. */
@Injectable()
export class ExpiringTokensService {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns how many events were written */
  async announce(signal?: AbortSignal): Promise<number> {
    for (let told = 0; ;) {
      const [row] = await this.dataSource.query<{ told: number }[]>('select app.announce_expiring_tokens() as told');
      told += row?.told ?? 0;
      if (!row?.told || signal?.aborted) return told;
    }
  }
}
