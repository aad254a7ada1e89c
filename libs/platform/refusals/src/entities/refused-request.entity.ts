import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A request that was answered with an error. Kept for the operator, to say why it was refused; customers do not see it. It has
 * no secret, and of the request's body only what {@link detail} says of its faults: names of members, or the number that a recipient should be.
 */
@Entity('refused_request')
@Index('refused_request_newest_idx', { synchronize: false })
@Index('refused_request_id_idx', { synchronize: false })
export class RefusedRequest {
  /** The customer whose token it had; the nil UUID if it had no valid one. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'refused_request_pk' })
  customerId!: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'refused_request_pk' })
  id!: string;

  /** The id that the reply had in `X-Request-Id`: the caller's own, if it sent one. */
  @Column('text')
  requestId!: string;

  @Column('uuid', { nullable: true })
  tokenId!: string | null;

  /** Of the token that was refused: the first 12 hexadecimal digits of its SHA-256. */
  @Column('text', { nullable: true })
  fingerprint!: string | null;

  /** The caller's network: an IPv4 address, or the /64 prefix of an IPv6 address. */
  @Column('text')
  network!: string;

  @Column('text')
  method!: string;

  /** The route's pattern; null when no route answers to the address. */
  @Column('text', { nullable: true })
  route!: string | null;

  @Column('smallint')
  status!: number;

  /** A code of the error catalogue; null if a kept reply was sent again. */
  @Column('text', { nullable: true })
  code!: string | null;

  /** The text for the caller. */
  @Column('text', { nullable: true })
  detail!: string | null;

  /** The refusal of another system that it was due to, such as `529 overloaded_error`. */
  @Column('text', { nullable: true })
  upstream!: string | null;

  /** How long it took, in milliseconds. */
  @Column('integer')
  durationMs!: number;

  @Column('timestamptz')
  createdAt!: Date;
}
