import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../schema/forward-migration';

/** The time zone by whose months and days everything is booked. The migrations' program stores it; nobody else may. */
export class BillingZone1763683207300 extends ForwardMigration {
  override readonly tables = ['billing_zone'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table billing_zone (
        id boolean not null default true,
        zone text not null,
        constraint billing_zone_pk primary key (id),
        constraint billing_zone_one_row_check check (id)
      )`);
    await runner.query(`grant select on billing_zone to customer_api, account_operator`);
  }
}
