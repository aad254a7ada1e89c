import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Who did what to a customer's account, when. Customers do not see it. */
@Entity('audit_log')
@Index('audit_log_newest_idx', { synchronize: false })
@Index('audit_log_action_idx', { synchronize: false })
@Index('audit_log_actor_idx', { synchronize: false })
export class AuditLogEntry {
  /** The customer concerned; the nil UUID if there is none. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'audit_log_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'audit_log_pk', default: () => 'app.new_id()' })
  id!: string;

  /** `operator:<name>`, `token:<token id>`, `identity-provider` or `worker`. */
  @Column('text')
  actor!: string;

  /** What was done, such as `token.issue`. */
  @Column('text')
  action!: string;

  /** Details; never a secret. */
  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
