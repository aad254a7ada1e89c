import { Injectable } from '@nestjs/common';

/** The most of one turn of the event loop that is spent on bodies: everything else waits meanwhile. */
const MS_A_TURN = 10;

/**
 * Shares the event loop between large bodies and everything else: when a turn's time is spent, the next pieces wait for
 * turns to come, in their order.
 */
@Injectable()
export class TurnBudget {
  private spentMs = 0;
  private readonly waiting: (() => void)[] = [];
  private scheduled = false;

  /** Whether the present turn's time is spent. */
  get spent(): boolean {
    return this.spentMs >= MS_A_TURN || this.waiting.length > 0;
  }

  /** Does some work at once, and counts its time. */
  run(work: () => void): void {
    const begun = performance.now();
    try {
      work();
    } finally {
      this.spentMs += performance.now() - begun;
      this.schedule();
    }
  }

  /** Does some work in a turn that has time for it. */
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
