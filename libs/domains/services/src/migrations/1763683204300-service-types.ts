import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the types of all customers' services, whose numbers an announcement says. */
export class ServiceTypes1763683204300 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    // With the type as it is written: an index alone answers only with columns that it has.
    await runner.query(
      `create index customer_service_type_idx on customer_service (lower(type), customer_id) include (type) where status <> 'terminated'`,
    );
  }
}
