import type { QueryRunner } from 'typeorm';

/**
 * What the ledger's functions are told of each call, and what they answer. `owner` is the place of the call's customer in the
 * batch's list of customers, `place` that of the call in the batch. The order of the fields is that of
 * `ledger/credit-ledger.statements.ts`.
 */
export async function createCallTypes(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create type app.ai_reservation_request as (
      seed uuid, input_tokens integer, cache text, max_tokens integer, least_tokens integer, may_shorten boolean,
      request_id text, token_id uuid, key_hash bytea, key_fingerprint bytea)`);
  await runner.query(`
    create type app.ai_reservation_result as (
      place integer, outcome text, id uuid, model text, key_ciphertext bytea, max_tokens integer)`);
  await runner.query(`
    create type app.ai_settlement as (
      owner integer, id uuid, input integer, write_5m integer, write_1h integer, read integer, output integer,
      upstream_id text, streamed boolean, reply_secrets_key text, reply bytea)`);
  await runner.query(`
    create type app.ai_settlement_result as (
      place integer, outcome text, charged numeric, uncovered numeric, late boolean, remaining numeric)`);
  await runner.query(
    `create type app.ai_release_request as (owner integer, id uuid, seed uuid, outcome text, reason text)`,
  );
}
