import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PipelinedConnectionsService } from './connections/pipelined-connections.service';
import { prepared } from './prepared-statement';

/** Maximum difference from the database's clock at which a process is ready. */
const CLOCK_TOLERANCE_MS = 5000;

const NOW = prepared('database.now', 'select app.now() as now');

/**
 * Compares this process's clock, which dates log lines, with the database's clock, which decides about charges,
 * expiry and due dates. Statements read the database's clock as `app.now()`.
 */
@Injectable()
export class DatabaseClockService {
  /** The fault of this process's clock, for the operator; undefined while it is right, or was never compared. */
  fault?: string;
  private readonly logger = new Logger(DatabaseClockService.name);

  constructor(private readonly connections: PipelinedConnectionsService) {}

  /**
   * Compares the clocks; logs when they begin to differ, and when they agree again. @returns the new value of {@link
   * fault}. @throws DatabaseUnavailableError
   */
  async compare(): Promise<string | undefined> {
    const before = Date.now();
    const [row] = await this.connections.single<{ now: Date }>(NOW, []);
    const after = Date.now();
    const now = row?.now.getTime() ?? NaN;
    // The database read its clock at some moment between the two: a slow reply is not a difference.
    const ahead = now < before ? before - now : now > after ? after - now : 0;
    const fault = Math.abs(ahead) <= CLOCK_TOLERANCE_MS ? undefined : describe(ahead);
    if (fault !== undefined && this.fault === undefined) this.logger.error(fault);
    if (fault === undefined && this.fault !== undefined) this.logger.log('The clock of this process is right again');
    return (this.fault = fault);
  }
}

/** The database's time in a transaction. */
export async function databaseNow(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<[{ now: string | Date }]>('select app.now() as now');
  return new Date(row.now);
}

function describe(aheadMs: number): string {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1);
  return `The clock of this process is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
}
