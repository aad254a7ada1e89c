const INTERVAL_MS = 1000;

/** Caches the answer to a question for a second. Callers that ask while a query is in progress share its answer. */
export class OnceASecond<Answer> {
  private answer?: Promise<Answer>;
  private askedAt = -Infinity;
  private pending = false;

  constructor(private readonly question: () => Promise<Answer>) {}

  /** The answer, at most a second old unless the query takes longer than that. */
  ask(): Promise<Answer> {
    const fresh = this.pending || performance.now() - this.askedAt < INTERVAL_MS;
    if (this.answer && fresh) return this.answer;
    this.askedAt = performance.now();
    this.pending = true;
    this.answer = this.question().finally(() => (this.pending = false));
    return this.answer;
  }
}
