import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** Accounts of the operator's people, their sessions, links and passkeys. They belong to no customer, and the API's role may read none of them. */
export class OperatorAccounts1763683203000 extends ForwardMigration {
  override readonly tables = [
    'operator_account',
    'operator_login_link',
    'operator_session',
    'operator_passkey',
    'operator_login_attempt',
    'operator_request_key',
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table operator_account (
        id uuid not null,
        email text not null,
        name text not null,
        role text not null,
        active boolean not null default true,
        oidc_subject text,
        created_at timestamptz not null default now(),
        last_login_at timestamptz,
        constraint operator_account_pk primary key (id),
        constraint operator_account_role_check check (role in ('viewer', 'support', 'billing', 'admin'))
      )`);
    await runner.query(`create unique index operator_account_email_key on operator_account (lower(email))`);
    await runner.query(`create unique index operator_account_name_key on operator_account (lower(name))`);
    await runner.query(`create unique index operator_account_oidc_subject_key on operator_account (oidc_subject)`);
    await runner.query(`
      create table operator_login_link (
        id uuid not null,
        account_id uuid not null,
        token_hash bytea not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        used_at timestamptz,
        constraint operator_login_link_pk primary key (id),
        constraint operator_login_link_hash_key unique (token_hash),
        constraint operator_login_link_account_fk foreign key (account_id) references operator_account (id)
      )`);
    await runner.query(`create index operator_login_link_account_idx on operator_login_link (account_id)`);
    await runner.query(`
      create table operator_session (
        id uuid not null,
        account_id uuid not null,
        token_hash bytea not null,
        method text not null,
        user_agent text not null,
        network text not null,
        created_at timestamptz not null default now(),
        last_seen_at timestamptz not null default now(),
        expires_at timestamptz not null,
        revoked_at timestamptz,
        constraint operator_session_pk primary key (id),
        constraint operator_session_hash_key unique (token_hash),
        constraint operator_session_account_fk foreign key (account_id) references operator_account (id),
        constraint operator_session_method_check check (method in ('link', 'passkey', 'oidc'))
      )`);
    await runner.query(`create index operator_session_account_idx on operator_session (account_id, created_at desc)`);
    await runner.query(`
      create table operator_passkey (
        id uuid not null,
        account_id uuid not null,
        credential_id text not null,
        public_key bytea not null,
        counter bigint not null default 0,
        transports text[] not null,
        name text not null,
        created_at timestamptz not null default now(),
        last_used_at timestamptz,
        constraint operator_passkey_pk primary key (id),
        constraint operator_passkey_credential_key unique (credential_id),
        constraint operator_passkey_account_fk foreign key (account_id) references operator_account (id)
      )`);
    await runner.query(`create index operator_passkey_account_idx on operator_passkey (account_id)`);
    await runner.query(`
      create table operator_login_attempt (
        token_hash bytea not null,
        expected jsonb not null,
        expires_at timestamptz not null,
        constraint operator_login_attempt_pk primary key (token_hash)
      )`);
    await runner.query(`
      create table operator_request_key (
        key_hash bytea not null,
        fingerprint bytea not null,
        secrets_key text,
        reply bytea,
        created_at timestamptz not null default now(),
        constraint operator_request_key_pk primary key (key_hash)
      )`);
    await runner.query(`create index operator_request_key_created_idx on operator_request_key (created_at)`);
    for (const table of this.tables) {
      await runner.query(`grant select, insert, update, delete on ${table} to account_operator`);
    }
  }
}
