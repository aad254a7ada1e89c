import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Scope } from '@platform/tokens';
import type { EventType } from '../event-types';

/** Why an endpoint gets nothing: its owner or the operator disabled it, it answered 410, or it failed for days. */
export const DISABLED_REASONS = ['owner', 'operator', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An address that gets events as webhooks. */
@Entity('webhook_endpoint')
@Index('webhook_endpoint_newest_idx', { synchronize: false })
@Check('webhook_endpoint_former_check', `cardinality(former_secrets) = cardinality(former_secrets_until)`)
@Check(
  'webhook_endpoint_disabled_check',
  `(disabled_at is null) = (disabled_reason is null) and disabled_reason in ('owner', 'operator', 'gone', 'failing')`,
)
export class WebhookEndpoint {
  /** The owner; {@link NO_CUSTOMER} for an endpoint of the operator, which gets the events of all customers. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webhook_endpoint_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'webhook_endpoint_pk' })
  id!: string;

  @Column('text')
  url!: string;

  /** The types that it gets; null for all. */
  @Column('text', { array: true, nullable: true })
  eventTypes!: EventType[] | null;

  @Column('text', { nullable: true })
  description!: string | null;

  /** Those of the token that made it: they decide how much of the records it gets. Null for the operator's: all. */
  @Column('text', { array: true, nullable: true })
  scopes!: Scope[] | null;

  /** The secret that deliveries are signed with, encrypted under SECRETS_KEY. */
  @Column('bytea')
  secretCiphertext!: Buffer;

  /** The secrets before the last rotations, newest first: deliveries are signed with them, too, each until its moment. */
  @Column('bytea', { array: true, default: () => "'{}'" })
  formerSecrets!: Buffer[];

  @Column('timestamptz', { array: true, default: () => "'{}'" })
  formerSecretsUntil!: Date[];

  /** When the first of the failures since the last success was; null if the last delivery succeeded. */
  @Column('timestamptz', { nullable: true })
  failingSince!: Date | null;

  /** Whether as much waits for the owner's endpoints as may: further deliveries are missed. Measured every few seconds. */
  @Column('boolean', { default: false })
  queueFull!: boolean;

  /** Within ten seconds: not every attempt is noted. */
  @Column('timestamptz', { nullable: true })
  lastAttemptAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  disabledAt!: Date | null;

  @Column('text', { nullable: true })
  disabledReason!: DisabledReason | null;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  updatedAt!: Date;
}
