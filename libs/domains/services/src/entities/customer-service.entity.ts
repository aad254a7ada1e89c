import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** States of a service. Only the operator changes them. */
export const SERVICE_STATUSES = ['pending', 'active', 'suspended', 'terminated'] as const;
export type ServiceStatus = (typeof SERVICE_STATUSES)[number];

/** A service that a customer has. */
@Entity('customer_service')
@Index('customer_service_type_idx', { synchronize: false })
@Check('customer_service_status_check', `status in ('pending', 'active', 'suspended', 'terminated')`)
@Check('customer_service_config_check', `jsonb_typeof(config) = 'object'`)
@Index('customer_service_newest_idx', { synchronize: false })
@Index('customer_service_status_idx', { synchronize: false })
export class CustomerServiceEntity {
  @ForeignKey('customer', 'id', { name: 'customer_service_customer_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'customer_service_pk' })
  customerId!: string;

  @PrimaryColumn('integer', {
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'customer_service_pk',
  })
  id!: number;

  /** Type of the service, such as `ai`, `sms` or `hosting`. */
  @Column('text')
  type!: string;

  @Column('text')
  name!: string;

  @Column('text', { default: 'active' })
  status!: ServiceStatus;

  /** Settings that the customer can read, such as the included monthly AI credit. Never a secret. */
  @Column('jsonb', { default: {} })
  config!: Record<string, unknown>;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
