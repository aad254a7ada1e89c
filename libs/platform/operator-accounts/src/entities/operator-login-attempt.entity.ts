import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A login that has begun in a browser and waits for the answer of an authenticator or an identity provider. */
@Entity('operator_login_attempt')
export class OperatorLoginAttempt {
  /** Hash of the browser's cookie. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'operator_login_attempt_pk' })
  tokenHash!: Buffer;

  /** What the answer is compared with. */
  @Column('jsonb')
  expected!: Record<string, string>;

  @Column('timestamptz')
  expiresAt!: Date;
}
