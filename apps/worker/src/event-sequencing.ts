import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EventSequencingService } from '@domains/events';
import { WorkerLoop } from '@platform/jobs';

/** How long an event waits for its position at most, and its deliveries for their begin. */
const EVERY_MS = 150;

/**
 * Gives new events their positions. It is a loop of each worker and not a scheduled job, since it runs several times a second; several
 * workers do not disturb each other.
 */
@Injectable()
export class EventSequencing implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(EventSequencing.name);
  private readonly loop = new WorkerLoop({
    everyMs: EVERY_MS,
    run: (signal) => this.events.run(signal),
    failed: (error) => this.logger.error({ msg: 'giving events their positions failed', err: error }),
  });

  constructor(private readonly events: EventSequencingService) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }
}
