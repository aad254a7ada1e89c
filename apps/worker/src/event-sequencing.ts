import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EventSequencingService } from '@domains/events';

/** How long an event waits for its position at most, and its deliveries for their begin. */
const EVERY_MS = 150;

/**
 * Gives new events their positions. It is a loop of each worker and not a scheduled job, since it runs several times a second; several
 * workers do not disturb each other.
 */
@Injectable()
export class EventSequencing implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(EventSequencing.name);
  private readonly stopping = new AbortController();
  private loop?: Promise<void>;
  private failing = false;

  constructor(private readonly events: EventSequencingService) {}

  onApplicationBootstrap(): void {
    this.loop = this.watch();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look(signal);
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(signal: AbortSignal): Promise<void> {
    try {
      await this.events.run(signal);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.error({ msg: 'giving events their positions failed', err: error });
      this.failing = true;
    }
  }
}
