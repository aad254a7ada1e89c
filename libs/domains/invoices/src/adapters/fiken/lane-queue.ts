import { SourceError } from '../../ports/source-error';

/** What the lane is needed for. */
export type Urgency = 'pdf' | 'sync';

/** The lane did not become free in time. */
export class LaneBusyError extends SourceError {
  constructor() {
    super('Fiken takes one request at a time, and others were first', 5_000);
  }
}

/** A call that waits for the lane or has it. */
export class LaneTicket {
  private readonly coming = Promise.withResolvers<AbortSignal>();
  private readonly left = Promise.withResolvers<void>();

  constructor(readonly urgency: Urgency) {}

  /** Resolves when the call has the lane, with a signal that aborts if the lane is lost. */
  get turn(): Promise<AbortSignal> {
    return this.coming.promise;
  }

  /** Gives the lane to the call until it leaves. */
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

/** The calls of this process that wait for the lane: PDFs first, otherwise in order of arrival. */
export class LaneQueue {
  private waiting: LaneTicket[] = [];

  /** Joins the queue. The ticket's turn rejects when the signal aborts or after `waitMs`. */
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

  /** The next ticket. */
  next(): LaneTicket | undefined {
    return this.waiting.find(({ urgency }) => urgency === 'pdf') ?? this.waiting[0];
  }

  /** Removes the next ticket from the queue, if it has this urgency. */
  take(urgency: Urgency): LaneTicket | undefined {
    const ticket = this.next();
    if (ticket?.urgency !== urgency) return undefined;
    this.remove(ticket);
    return ticket;
  }

  /** Rejects all tickets because the lane is not available. */
  fail(reason: unknown): void {
    for (const ticket of this.waiting.splice(0)) ticket.refuse(reason);
  }

  private remove(ticket: LaneTicket): boolean {
    const index = this.waiting.indexOf(ticket);
    if (index >= 0) this.waiting.splice(index, 1);
    return index >= 0;
  }
}
