import { Injectable } from '@nestjs/common';

/** Most milliseconds of one turn of the event loop that are spent on bodies: all other work waits for that long. */
const MS_A_TURN = 10;

/**
 * Shares the event loop between large bodies and other work: when a turn's time is used up, further chunks wait for
 * later turns, in order.
 */
@Injectable()
export class TurnBudget {
  private spentMs = 0;
  private readonly waiting: (() => void)[] = [];
  private scheduled = false;

  /** Whether the time of the current turn is used up. */
  get spent(): boolean {
    return this.spentMs >= MS_A_TURN || this.waiting.length > 0;
  }

  /** Runs work at once and counts its time. */
  run(work: () => void): void {
    const begun = performance.now();
    try {
      work();
    } finally {
      this.spentMs += performance.now() - begun;
      this.schedule();
    }
  }

  /** Runs work in a later turn that has time left. */
  later(work: () => void): void {
    this.waiting.push(work);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.spentMs = 0;
      while (this.spentMs < MS_A_TURN) {
        const next = this.waiting.shift();
        if (!next) return;
        this.run(next);
      }
      this.schedule();
    });
  }
}
