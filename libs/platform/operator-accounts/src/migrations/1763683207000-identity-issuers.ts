import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The identity provider of each account: after a change of provider, a subject can be another person's. */
export class IdentityIssuers1763683207000 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table operator_account add column oidc_issuer text');
    await runner.query(
      `create unique index operator_account_identity_key on operator_account (oidc_issuer, oidc_subject) nulls not distinct
       where oidc_subject is not null`,
    );
    await runner.query('drop index operator_account_oidc_subject_key');
  }
}
