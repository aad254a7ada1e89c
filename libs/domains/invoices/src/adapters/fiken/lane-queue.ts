import { SourceError } from '../../ports/source-error';

/** What the lane is wanted for. */
export type Urgency = 'pdf' | 'sync';

/** The lane's turn did not come in time. */
export class LaneBusyError extends SourceError {
  constructor() {
    super('Fiken takes one request at a time, and others were first', 5_000);
  }
}

/** Somebody who waits for the lane, or has it. */
export class LaneTicket {
  private readonly coming = Promise.withResolvers<AbortSignal>();
  private readonly left = Promise.withResolvers<void>();

  constructor(readonly urgency: Urgency) {}

  /** Resolves when it has the lane, with a signal that tells that it has lost it. */
  get turn(): Promise<AbortSignal> {
    return this.coming.promise;
  }

  /** Gives it the lane, until it leaves. */
  serve(lost: AbortSignal): Promise<void> {
    this.coming.resolve(lost);
    return this.left.promise;
  }

  refuse(reason: unknown): void {
    this.coming.reject(reason);
  }

  leave(): void {
    this.left.resolve();
  }
}

/** Who waits for the lane in this process: PDFs first, else first come, first served. */
export class LaneQueue {
  private waiting: LaneTicket[] = [];

  /** Joins the queue; the ticket's turn fails when the signal aborts or `waitMs` are over before. */
  enter(urgency: Urgency, signal: AbortSignal, waitMs?: number): LaneTicket {
    signal.throwIfAborted();
    const ticket = new LaneTicket(urgency);
    const reject = (reason: unknown) => {
      if (this.remove(ticket)) ticket.refuse(reason);
    };
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = waitMs === undefined ? undefined : setTimeout(() => reject(new LaneBusyError()), waitMs);
    const settled = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    ticket.turn.then(settled, settled);
    this.waiting.push(ticket);
    return ticket;
  }

  /** Who is next. */
  next(): LaneTicket | undefined {
    return this.waiting.find(({ urgency }) => urgency === 'pdf') ?? this.waiting[0];
  }

  /** Takes who is next out of the queue, if the lane is wanted for that. */
  take(urgency: Urgency): LaneTicket | undefined {
    const ticket = this.next();
    if (ticket?.urgency !== urgency) return undefined;
    this.remove(ticket);
    return ticket;
  }

  /** Nobody gets a turn: the lane cannot be had. */
  fail(reason: unknown): void {
    for (const ticket of this.waiting.splice(0)) ticket.refuse(reason);
  }

  private remove(ticket: LaneTicket): boolean {
    const index = this.waiting.indexOf(ticket);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }
}
