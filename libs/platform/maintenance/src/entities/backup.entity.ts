import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A backup that was completed, and copied to another place if the operator has named a command for it. Written as the owner by
 * `apps/operator/stack/backup.sh` and `apps/operator/postgres/archive.sh`. A restored database has those from before the backup.
 */
@Entity('backup')
@Check('backup_kind_check', `kind in ('dump', 'base')`)
export class Backup {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'backup_pk', default: () => 'app.new_id()' })
  id!: string;

  /** `dump`: the database at one moment. `base`: a base backup in the archive of all changes. */
  @Column('text')
  kind!: 'dump' | 'base';

  /** Size of the backup. */
  @Column('bigint')
  bytes!: string;

  /** Bytes that were left on its disk. */
  @Column('bigint')
  freeBytes!: string;

  @Column('timestamptz', { default: () => 'now()' })
  completedAt!: Date;

  /** Whether the machine's schedule made it; none if the schedule was taken away. */
  @Column('boolean', { default: false })
  scheduled!: boolean;
}
