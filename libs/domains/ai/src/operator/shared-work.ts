/** Work that is under way, and how many wait for it. */
interface UnderWay<Result> {
  result: Promise<Result>;
  askers: number;
  ending: AbortController;
}

/**
 * Work that takes a while: who asks for the same while it is being done gets its result, and it ends when all who asked have gone.
 */
export class SharedWork<Key, Result> {
  private readonly underWay = new Map<Key, UnderWay<Result>>();

  /** @param work its signal aborts when nobody waits for it any more */
  constructor(private readonly work: (key: Key, signal: AbortSignal) => Promise<Result>) {}

  /** @param key what is asked for @param gone aborts when this asker has gone */
  ask(key: Key, gone?: AbortSignal): Promise<Result> {
    const work = this.underWay.get(key) ?? this.begin(key);
    work.askers++;
    const leave = () => {
      if (--work.askers > 0) return;
      this.forget(key, work);
      work.ending.abort();
    };
    if (gone?.aborted) leave();
    else gone?.addEventListener('abort', leave, { once: true });
    return work.result;
  }

  private begin(key: Key): UnderWay<Result> {
    const ending = new AbortController();
    const result = this.work(key, ending.signal).finally(() => this.forget(key, work));
    const work = { result, askers: 0, ending };
    this.underWay.set(key, work);
    return work;
  }

  private forget(key: Key, work: UnderWay<Result>): void {
    if (this.underWay.get(key) === work) this.underWay.delete(key);
  }
}
