import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import { Customer } from '@domains/customers';
import { DoctorService, failed, ok, type Outcome } from '@platform/maintenance';
import { customerTables } from './customer-tables';

/** Customers that a finding names at most. */
const NAMED = 10;

/**
 * Checks whether erased customers still have rows: an erasure was broken off, or a former release did it, which does not know
 * the tables of this one.
 */
@Injectable()
export class ErasureCheckOperatorService implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly doctor: DoctorService,
  ) {}

  onModuleInit(): void {
    this.doctor.register({ section: 'database', check: 'erasures', look: () => this.look() });
  }

  private async look(): Promise<Outcome> {
    const erased = await this.dataSource.getRepository(Customer).findBy({ erasedAt: Not(IsNull()) });
    const unfinished = await this.withRows(erased.map(({ id }) => id));
    if (unfinished.size === 0) return ok('no erased customer has personal data left');
    const numbers = erased.filter(({ id }) => unfinished.has(id)).map(({ customerNumber }) => customerNumber);
    const others = numbers.length > NAMED ? ` and ${numbers.length - NAMED} others` : '';
    return failed(
      `erased in part: ${numbers.slice(0, NAMED).join(', ')}${others}; for each: operator customer erase --customer NUMBER`,
    );
  }

  /** Those of some customers that have rows in tables that an erasure empties. */
  private async withRows(customerIds: string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const { table, erase } of customerTables) {
      if (erase.how !== 'delete') continue;
      const rows = await this.dataSource.query<{ id: string }[]>(
        `select distinct customer_id as id from ${table} where customer_id = any($1)`,
        [customerIds],
      );
      for (const { id } of rows) found.add(id);
    }
    return found;
  }
}
