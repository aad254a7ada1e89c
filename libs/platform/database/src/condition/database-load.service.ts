import { Injectable } from '@nestjs/common';
import { PipelinedConnectionsService } from '../connections/pipelined-connections.service';
import { WriteConnectionsService } from '../writes/write-connections.service';

/** How busy the way to the database is. */
@Injectable()
export class DatabaseLoadService {
  constructor(
    private readonly reads: PipelinedConnectionsService,
    private readonly writes: WriteConnectionsService,
  ) {}

  /** How long what is sent now has to wait, in milliseconds, as far as can be told. */
  queueDelayMs(): number {
    return Math.max(this.reads.queueDelayMs(), this.writes.queueDelayMs());
  }
}
