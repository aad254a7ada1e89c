import { Injectable } from '@nestjs/common';
import { PipelinedConnections } from './pipelined-connections';
import { WriteConnections } from './writing/write-connections';

/** How busy the way to the database is. */
@Injectable()
export class DatabaseLoad {
  constructor(
    private readonly reads: PipelinedConnections,
    private readonly writes: WriteConnections,
  ) {}

  /** How long what is sent now has to wait, in milliseconds, as far as can be told. */
  waitedMs(): number {
    return Math.max(this.reads.waitedMs(), this.writes.waitedMs());
  }
}
