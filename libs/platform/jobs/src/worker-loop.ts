import { setTimeout as delay } from 'node:timers/promises';

/** Work that each worker repeats. */
export interface LoopWork {
  /** Pause from the end of a run to the start of the next. */
  everyMs: number;
  run(signal: AbortSignal): Promise<unknown>;
  /** Called for the first of failures in a row. */
  failed(error: unknown): void;
}

/**
 * A loop of each worker. Not a scheduled job: it may run several times a second, and if a worker dies, the others go on without
 * waiting for its lease to end. Several workers run it at the same time.
 */
export class WorkerLoop {
  private readonly stopping = new AbortController();
  private loop?: Promise<void>;
  private failing = false;

  constructor(private readonly work: LoopWork) {}

  start(): void {
    this.loop = this.repeat();
  }

  /** Aborts the run in progress, and ends with it. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async repeat(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.runOnce(signal);
      await delay(this.work.everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async runOnce(signal: AbortSignal): Promise<void> {
    try {
      await this.work.run(signal);
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.work.failed(error);
      this.failing = true;
    }
  }
}
