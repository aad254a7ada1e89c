import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '@platform/metrics';

/** What the last look at the partitions found. */
@Injectable()
export class PartitionMetrics {
  private readonly strayRows: Gauge<'table'>;

  constructor({ registry }: Metrics) {
    this.strayRows = new Gauge({
      name: 'database_default_partition_rows',
      help: 'Rows of a table that are in no month, at the last look of this process; counted up to 10,000. Should be 0',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  setStrayRows(table: string, rows: number): void {
    this.strayRows.set({ table }, rows);
  }
}
