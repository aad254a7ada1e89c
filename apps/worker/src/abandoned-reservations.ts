import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AiMaintenanceService, ProcessHeartbeatService } from '@domains/ai';
import { WorkerLoop } from '@platform/jobs';

/**
 * A dead process's reservations are released within 15 seconds: 10 seconds without a heartbeat (`process-liveness.sql`), this
 * interval, and the time that it takes.
 */
const EVERY_MS = 1_000;

/**
 * Resolves the reservations of dead processes. It is a loop of each worker and not a scheduled job: if a worker dies
 * together with an API process, the other workers go on without waiting for its lease to end.
 */
@Injectable()
export class AbandonedReservations implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AbandonedReservations.name);
  private readonly loop = new WorkerLoop({
    everyMs: EVERY_MS,
    run: (signal) => this.resolve(signal),
    failed: (error) => this.logger.error({ msg: 'Looking for abandoned AI reservations failed', err: error }),
  });

  constructor(
    private readonly maintenance: AiMaintenanceService,
    // The worker's own heartbeat advances the time that the database has served, even when no API process is left.
    private readonly heartbeat: ProcessHeartbeatService,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    await this.heartbeat.end();
  }

  private async resolve(signal: AbortSignal): Promise<void> {
    const count = await this.maintenance.resolveAbandoned(signal);
    if (count > 0) this.logger.warn({ msg: 'Abandoned AI reservations ended with an unknown outcome', count });
  }
}
