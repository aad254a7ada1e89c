import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OperatorRole } from '../operator-roles';

/** One of the operator's people. Accounts are deactivated, never deleted: the audit log names them. */
@Entity('operator_account')
@Index('operator_account_email_key', { synchronize: false })
@Index('operator_account_name_key', { synchronize: false })
@Index('operator_account_identity_key', { synchronize: false })
@Check('operator_account_role_check', `role in ('viewer', 'support', 'billing', 'admin')`)
export class OperatorAccount {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'operator_account_pk' })
  id!: string;

  @Column('text')
  email!: string;

  /** The name in the audit log, as `--as` has it. */
  @Column('text')
  name!: string;

  @Column('text')
  role!: OperatorRole;

  /** If false, it cannot log in, and has no session. */
  @Column('boolean', { default: true })
  active!: boolean;

  /** The identity provider where it has logged in, as ID tokens name it. */
  @Column('text', { nullable: true })
  oidcIssuer!: string | null;

  /** Its id there. */
  @Column('text', { nullable: true })
  oidcSubject!: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  lastLoginAt!: Date | null;
}
