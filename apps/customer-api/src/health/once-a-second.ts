const INTERVAL_MS = 1000;

/** Asks a question once a second at most; whoever wants to know in between, or while it is being asked, gets the same answer. */
export class OnceASecond<Answer> {
  private answer?: Promise<Answer>;
  private askedAt = -Infinity;
  private pending = false;

  constructor(private readonly question: () => Promise<Answer>) {}

  /** The answer, a second old at most, unless it takes longer than that to answer. */
  ask(): Promise<Answer> {
    const fresh = this.pending || performance.now() - this.askedAt < INTERVAL_MS;
    if (this.answer && fresh) return this.answer;
    this.askedAt = performance.now();
    this.pending = true;
    this.answer = this.question().finally(() => (this.pending = false));
    return this.answer;
  }
}
