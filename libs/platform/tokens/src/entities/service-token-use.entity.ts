import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { ServiceToken } from './service-token.entity';

/**
 * When a token was last used. Separate from the token, whose row is replicated in a cluster and so should change
 * rarely.
 */
@Entity('service_token_use')
@Index('service_token_use_token_idx', ['tokenId'])
export class ServiceTokenUse {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'service_token_use_pk' })
  customerId!: string;

  @ForeignKey(() => ServiceToken, 'id', { name: 'service_token_use_token_fk' })
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'service_token_use_pk' })
  tokenId!: string;

  @Column('timestamptz')
  lastUsedAt!: Date;
}
