import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bytes that a customer's writes have stored on a day of UTC: texts of tickets and SMS, and kept replies. */
@Entity('stored_bytes')
export class StoredBytes {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'stored_bytes_pk' })
  customerId!: string;

  @PrimaryColumn('date', { primaryKeyConstraintName: 'stored_bytes_pk' })
  day!: string;

  @Column('bigint')
  bytes!: string;
}
