import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last position in a customer's log. Its row's lock makes positions visible in their order. */
@Entity('event_position')
export class EventPosition {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'event_position_pk' })
  customerId!: string;

  @Column('bigint', { default: 0 })
  last!: string;
}
