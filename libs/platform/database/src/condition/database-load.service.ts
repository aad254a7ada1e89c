import { Injectable } from '@nestjs/common';
import { PipelinedConnectionsService } from '../connections/pipelined-connections.service';
import { WriteConnectionsService } from '../writes/write-connections.service';

/** How busy the ways to the database are. */
@Injectable()
export class DatabaseLoadService {
  constructor(
    private readonly reads: PipelinedConnectionsService,
    private readonly writes: WriteConnectionsService,
  ) {}

  /** How long a read that is sent now has to wait, in milliseconds, as far as can be told. */
  readsWaitMs(): number {
    return this.reads.queueDelayMs();
  }

  /** How long the first write in line has been waiting, in milliseconds. */
  writesWaitMs(): number {
    return this.writes.queueDelayMs();
  }
}
