import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PipelinedConnectionsService } from '../connections/pipelined-connections.service';
import { prepared } from '../connections/prepared-statement';

/** Farther than this from the database's clock, a process is not ready. */
const TOLERATED_MS = 5000;

const NOW = prepared('database.now', 'select app.now() as now');

/**
 * The database's clock, which decides what is booked, expired or due. Statements read it themselves, as `app.now()`; this
 * tells whether the process's own clock, which dates its log lines, agrees with it.
 */
@Injectable()
export class DatabaseClockService {
  /** What is wrong with this process's clock, in words for the operator; nothing while it is right, or was never compared. */
  fault?: string;
  private readonly logger = new Logger(DatabaseClockService.name);

  constructor(private readonly connections: PipelinedConnectionsService) {}

  /**
   * Compares the clocks; logs when they begin to differ, and when they agree again.
   * @returns what {@link fault} says from now on.
   * @throws DatabaseUnavailableError
   */
  async compare(): Promise<string | undefined> {
    const before = Date.now();
    const [row] = await this.connections.single<{ now: Date }>(NOW, []);
    const after = Date.now();
    const now = row?.now.getTime() ?? NaN;
    // The database read its clock at some moment between the two: a slow reply is no difference.
    const ahead = now < before ? before - now : now > after ? after - now : 0;
    const fault = Math.abs(ahead) <= TOLERATED_MS ? undefined : describe(ahead);
    if (fault !== undefined && this.fault === undefined) this.logger.error(fault);
    if (fault === undefined && this.fault !== undefined) this.logger.log('The clock of this process is right again');
    return (this.fault = fault);
  }
}

/** The database's time in a transaction, for what cannot be computed where it is stored. */
export async function databaseNow(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<[{ now: string | Date }]>('select app.now() as now');
  return new Date(row.now);
}

function describe(aheadMs: number): string {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  return `The clock of this process is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
}
