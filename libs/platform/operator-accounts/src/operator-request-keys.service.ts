import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { OperatorRequestKey } from './entities/operator-request-key.entity';

/** What is stored of a key: of which request it is, and its reply once that is done; null also if the reply is too large. */
export type FoundRequestKey = Pick<OperatorRequestKey, 'fingerprint' | 'secretsKey' | 'reply'>;

/** Rows that another request is deleting are its own: waiting for it could take as long as it takes. */
const DELETE_EXPIRED = `
  delete from operator_request_key where key_hash in (
    select key_hash from operator_request_key where created_at <= app.now() - app.idempotency_key_lifetime() for update skip locked)`;

/** The Idempotency-Keys of operators' accounts. A key is stored in the transaction of its request, with all that the request changes. */
@Injectable()
export class OperatorRequestKeysService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Claims a key in a request's transaction; waits for another request that has it and is running. Keys that have expired are free.
   * @param hash of the account and its key @param fingerprint of the request
   * @returns false if another request has had the key
   */
  async claim(manager: EntityManager, hash: Buffer, fingerprint: Buffer): Promise<boolean> {
    await manager.query(DELETE_EXPIRED);
    const claimed = await manager.query<unknown[]>(
      `insert into operator_request_key (key_hash, fingerprint, created_at) values ($1, $2, app.now())
       on conflict do nothing returning 1`,
      [hash, fingerprint],
    );
    return claimed.length > 0;
  }

  /** Stores the encrypted reply in the transaction that claimed the key. @param sealed undefined if the reply is too large */
  async keep(
    manager: EntityManager,
    hash: Buffer,
    sealed: { secretsKey: string; body: Buffer } | undefined,
  ): Promise<void> {
    await manager.query(`update operator_request_key set secrets_key = $2, reply = $3 where key_hash = $1`, [
      hash,
      sealed?.secretsKey ?? null,
      sealed?.body ?? null,
    ]);
  }

  /** A key that a request has had; undefined if it is free. Reads what is committed: not to be called in a request's transaction. */
  async find(hash: Buffer): Promise<FoundRequestKey | undefined> {
    const [row] = await this.dataSource.query<FoundRequestKey[]>(
      `select fingerprint, secrets_key as "secretsKey", reply from operator_request_key where key_hash = $1`,
      [hash],
    );
    return row;
  }

  /** Deletes the keys that have expired, and their replies, which have personal data: perhaps nobody claims another. */
  async purge(): Promise<void> {
    await this.dataSource.query(DELETE_EXPIRED);
  }
}
