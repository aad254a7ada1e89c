import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AiMaintenanceService, ProcessHeartbeatService } from '@domains/ai';

/** With the grace of ten seconds, what a dead process had reserved is free again well within fifteen. */
const EVERY_MS = 1_000;

/**
 * Gives back what calls of dead processes had reserved. A loop of every worker's own and no scheduled job: a worker that
 * dies together with an API process must not keep the others from it until its lease ends.
 */
@Injectable()
export class AbandonedReservations implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AbandonedReservations.name);
  private readonly stopping = new AbortController();
  private loop?: Promise<void>;
  private failing = false;

  constructor(
    private readonly maintenance: AiMaintenanceService,
    // The worker's own heartbeat counts the time, also when no API process is left.
    private readonly heartbeat: ProcessHeartbeatService,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.watch();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await this.heartbeat.end();
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
      const count = await this.maintenance.resolveAbandoned(signal);
      if (count > 0) this.logger.warn({ msg: 'AI calls given up, outcome unknown', count });
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.logger.error({ msg: 'Abandoned AI reservations could not be looked for', err: error });
      this.failing = true;
    }
  }
}
