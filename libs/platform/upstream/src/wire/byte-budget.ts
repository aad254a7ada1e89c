import type { Flow } from './exchange';

/**
 * Bounds the bytes of replies that a process holds in memory. A reply beyond the bound waits on its connection until
 * others are finished; the oldest one always continues, so that replies cannot deadlock.
 */
export class ByteBudget {
  private held = 0;
  private readonly leases = new Set<ByteLease>();

  constructor(private readonly limit: number) {}

  /** Bytes in use. */
  get used(): number {
    return this.held;
  }

  /** Opens the lease of one reply. It must be closed. */
  open(): ByteLease {
    const lease: ByteLease = new ByteLease(
      (bytes) => (this.held += bytes),
      () => this.held <= this.limit || this.leases.values().next().value === lease,
      () => this.close(lease),
    );
    this.leases.add(lease);
    return lease;
  }

  private close(lease: ByteLease): void {
    if (!this.leases.delete(lease)) return;
    for (const waiting of this.leases) waiting.next();
  }
}

/** The bytes of one reply. */
export class ByteLease {
  private bytes = 0;
  private paused?: Flow;

  constructor(
    private readonly hold: (bytes: number) => void,
    private readonly mayGoOn: () => boolean,
    private readonly ended: () => void,
  ) {}

  /** Adds bytes, and pauses the reply while the budget is exceeded. */
  add(bytes: number, flow: Flow): void {
    this.bytes += bytes;
    this.hold(bytes);
    if (this.mayGoOn()) return;
    this.paused = flow;
    flow.pause();
  }

  /** Continues if the budget allows. */
  next(): void {
    if (!this.paused || !this.mayGoOn()) return;
    const flow = this.paused;
    this.paused = undefined;
    flow.resume();
  }

  /** Releases the bytes, for another attempt of the same call. */
  clear(): void {
    this.hold(-this.bytes);
    this.bytes = 0;
    this.paused = undefined;
  }

  /** Releases the bytes and ends the lease. Idempotent. */
  close(): void {
    this.clear();
    this.ended();
  }
}
