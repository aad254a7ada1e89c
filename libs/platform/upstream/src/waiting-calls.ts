/** While an upstream answers no call, this fraction of its concurrency may wait for it, and one caller half of that. */
const PART_WHILE_SILENT = 8;

/** A call that waits for the head of its reply. */
export interface WaitingCall {
  readonly caller: string | undefined;
  readonly since: number;
}

/** The calls that wait for a reply to begin; bounds them while the upstream is silent. */
export class WaitingCalls {
  private readonly calls = new Set<WaitingCall>();
  private answeredAt = -Infinity;
  private readonly mostWhileSilent: number;

  constructor(private readonly options: { concurrency: number; slowAfterMs: number }) {
    this.mostWhileSilent = Math.max(2, Math.ceil(options.concurrency / PART_WHILE_SILENT));
  }

  get count(): number {
    return this.calls.size;
  }

  /** Whether one more call may wait. */
  admits(caller?: string): boolean {
    if (!this.silent) return true;
    if (this.calls.size >= this.mostWhileSilent) return false;
    if (caller === undefined) return true;
    let own = 0;
    for (const call of this.calls) if (call.caller === caller) own++;
    return own < this.mostWhileSilent / 2;
  }

  /** Whether no call was answered for as long as the oldest call should have taken. */
  get silent(): boolean {
    const oldest = this.calls.values().next().value;
    if (oldest === undefined) return false;
    const since = performance.now() - this.options.slowAfterMs;
    return oldest.since <= since && this.answeredAt <= since;
  }

  begin(caller: string | undefined): WaitingCall {
    const call = { caller, since: performance.now() };
    this.calls.add(call);
    return call;
  }

  /** @param answered whether a reply began */
  end(call: WaitingCall, answered: boolean): void {
    if (this.calls.delete(call) && answered) this.answeredAt = performance.now();
  }
}
