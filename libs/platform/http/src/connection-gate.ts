import { BlockList, type SocketAddress } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';

/** New connections are counted for so long, in milliseconds. */
const PERIOD_MS = 250;
/** So many of all networks in a period, if they are also accepted late, keep others waiting. */
const MANY = 100;
/** A turn of the event loop that accepts connections is late after so many milliseconds: what waits in the queues waits for many of them. */
const LATE_TURN_MS = 8;
/**
 * Connections that a network may begin at once, and a second, whatever others do: as many as the default limits let a customer send in
 * a minute, and an address a second.
 */
const AT_ONCE = 600;
const PER_SECOND = 100;
/** A network that begins so many times as many as the others on average is the cause of the waiting. */
const CLEARLY_MORE = 4;
/** Networks are no longer held when none had to be refused for this long, in milliseconds. */
const CALM_MS = 2000;

/** What else decides about a new connection. */
export interface GateParts {
  /** Whether there is room for another connection of a network. */
  hasRoom(network: string): boolean;
  /** The number of networks that have connections. */
  networks(): number;
}

/** The connections that a network has begun, refused ones too. */
interface Begun {
  inPeriod: number;
  /** Of late: falls by {@link PER_SECOND}. */
  lately: number;
}

/**
 * Refuses connections before Node has made anything for them: it asks a server's `blockList` as soon as it has accepted one. To make a
 * socket and a parser, and to end them again, takes 0.3 ms, and a program that opens thousands of connections a second, or opens again what was
 * closed, would take all of the time with that. To refuse takes a twentieth.
 *
 * While connections are accepted late, a network that begins very many, and clearly more than the others, is held. A network alone is not:
 * none waits for it.
 */
export class ConnectionGate extends BlockList {
  private readonly begun = new Map<string, Begun>();
  /** Of all networks, since the period began. */
  private total = 0;
  private periodBegan: number;
  /** The network that began most in the last period, and when another one was seen. */
  private busiest?: string | undefined;
  private othersSeenAt = -Infinity;
  private turnBegan?: number | undefined;
  private heldUntil = -Infinity;

  constructor(
    private readonly parts: GateParts,
    private readonly now: () => number = () => performance.now(),
  ) {
    super();
    this.periodBegan = now();
  }

  /** Whether to refuse a connection that has just been accepted. */
  override check(address: string | SocketAddress): boolean {
    const network = normalizeIp(typeof address === 'string' ? address : address.address);
    const now = this.now();
    const own = this.count(network, now);
    if (!this.parts.hasRoom(network)) return true;
    if (now > this.heldUntil || !this.isCause(own) || this.isAlone(now)) return false;
    this.heldUntil = now + CALM_MS;
    return true;
  }

  private count(network: string, now: number): Begun {
    if (now - this.periodBegan >= PERIOD_MS) this.beginPeriod(now);
    this.watchTurn(now);
    if (network !== this.busiest) this.othersSeenAt = now;
    let own = this.begun.get(network);
    if (!own) this.begun.set(network, (own = { inPeriod: 0, lately: 0 }));
    own.inPeriod++;
    own.lately++;
    this.total++;
    return own;
  }

  private beginPeriod(now: number): void {
    const faded = ((now - this.periodBegan) / 1000) * PER_SECOND;
    let most = 0;
    for (const [network, own] of this.begun) {
      if (own.inPeriod > most) [this.busiest, most] = [network, own.inPeriod];
      own.inPeriod = 0;
      // Refused ones do not hold a network for longer.
      own.lately = Math.min(own.lately, AT_ONCE) - faded;
      if (own.lately <= 0) this.begun.delete(network);
    }
    this.total = 0;
    this.periodBegan = now;
  }

  private watchTurn(now: number): void {
    if (this.turnBegan !== undefined) return this.holdIfLate(now, this.turnBegan);
    this.turnBegan = now;
    setImmediate(() => {
      this.holdIfLate(this.now(), now);
      this.turnBegan = undefined;
    });
  }

  private holdIfLate(now: number, turnBegan: number): void {
    if (now - turnBegan > LATE_TURN_MS && this.total >= MANY) this.heldUntil = now + CALM_MS;
  }

  private isCause({ inPeriod, lately }: Begun): boolean {
    const ofOthers = (this.total - inPeriod) / Math.max(1, this.begun.size - 1);
    return lately > AT_ONCE && inPeriod > CLEARLY_MORE * ofOthers;
  }

  private isAlone(now: number): boolean {
    return this.parts.networks() < 2 && now - this.othersSeenAt > CALM_MS;
  }
}
