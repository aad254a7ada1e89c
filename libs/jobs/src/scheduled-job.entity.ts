import { Column, Entity, PrimaryColumn } from 'typeorm';

/** When a background job is due, which run is under way, and how the last one went. */
@Entity('scheduled_job')
export class ScheduledJob {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'scheduled_job_pk' })
  name!: string;

  @Column('timestamptz')
  dueAt!: Date;

  /** A run is under way until then; a worker that died holds it no longer than that. */
  @Column('timestamptz', { nullable: true })
  lockedUntil!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastStartedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  lastFinishedAt!: Date | null;

  /** Why the last run failed; null when it did not. */
  @Column('text', { nullable: true })
  lastError!: string | null;
}
