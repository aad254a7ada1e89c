import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StatementTime } from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Grant, TimeShares } from '@platform/fairness';
import { isFirstOfConnection, onReplyClosed, partyOf } from './connections';
import { problemOf, sendProblem } from './problem';
import { comesInTooManyPieces, DROPPED_PIECES_MS } from './unread-bodies';

const LOOP_EVERY_MS = 20;

/** Measures the event loop's delay: how long a new request waits before it is handled. */
class LoopDelay {
  /** The delay in milliseconds, averaged over about a tenth of a second. */
  ms = 0;
  /** The longest delay of about the last half second, in milliseconds. */
  longestMs = 0;
  private due = performance.now() + LOOP_EVERY_MS;
  private readonly timer = setInterval(() => this.note(), LOOP_EVERY_MS).unref();

  stop(): void {
    clearInterval(this.timer);
  }

  private note(): void {
    const now = performance.now();
    const late = Math.max(0, now - this.due);
    this.ms += 0.3 * (late - this.ms);
    this.longestMs = Math.max(late, 0.97 * this.longestMs);
    this.due = now + LOOP_EVERY_MS;
  }
}

const MEASURE_EVERY_MS = 100;
/** Milliseconds that a byte of a reply takes to be read from the database, mapped and serialised. */
const MS_PER_BYTE = 1e-5;
/** Replies of fewer bytes are part of what any request costs. */
const LEAST_BYTES = 2048;
/** What a statement without rows counts for, in bytes of rows. */
const ROW_BYTES = 500;
const UNAUTHORIZED = 401;
/** Longest `Retry-After`, in seconds. */
const LONGEST_RETRY = 60;

/** The database, as far as the load shedder knows it. */
export interface MeasuredDatabase {
  /** The time that a new statement has to wait, in milliseconds. */
  queueDelayMs(): number;
  /**
   * From now on `report` is told the time that connections take for statements of customers. It includes the delay of the event loop;
   * `report` returns the time without it.
   */
  reportTime(report: (time: StatementTime) => number): void;
}

export interface LoadSheddingParts {
  database: MeasuredDatabase;
  /** The customer whose request this seems to be, before it is authenticated; undefined if its token is not known. */
  callerOf: (request: FastifyRequest) => string | undefined;
}

/** Charges customers for the bytes of their replies: to be added before the compression. */
export function chargeReplies(server: FastifyInstance, shares: TimeShares): void {
  server.addHook('onSend', (request, _reply, payload: unknown, done) => {
    // Files are sent as bytes or streams, which cost little.
    if (typeof payload === 'string' && payload.length >= LEAST_BYTES)
      shares.charge(partyOf(request), payload.length * MS_PER_BYTE);
    done();
  });
}

/**
 * Refuses requests while more arrive than can be served in time: first those of parties that take more than their share, with
 * 429, then all that cannot be served, with 503. The waiting time is the delay of the event loop, or of the database if that is
 * longer. {@link TimeShares} decides from which waiting time on requests are refused, and whose.
 */
export class LoadShedder {
  /** Refused requests. */
  readonly refusals = { share_used: 0, all_used: 0 };
  private readonly log = new ShareLog();
  private readonly turns = new FairTurns();

  constructor(
    readonly shares: TimeShares,
    private readonly parts: LoadSheddingParts,
  ) {}

  /** Whether more is asked for than can be served. */
  get active(): boolean {
    return this.shares.isOverloaded;
  }

  /** Begins to measure, and to refuse requests of the server if necessary. */
  addTo(server: FastifyInstance): void {
    const { database } = this.parts;
    const loop = new LoopDelay();
    const measure = () => {
      const turnsMs = this.turns.longestMs;
      const loopMs = Math.max(loop.ms, turnsMs);
      const databaseMs = database.queueDelayMs();
      const waitMs = Math.max(loopMs, databaseMs);
      this.shares.measure(waitMs, loopMs >= databaseMs, turnsMs === waitMs ? this.turns.waiting : 0);
    };
    const timer = setInterval(measure, MEASURE_EVERY_MS).unref();
    // An answer waits for the event loop, too.
    database.reportTime((time) => this.chargeStatements(time, loop.longestMs));
    server.addHook('onClose', (_server, done) => {
      clearInterval(timer);
      loop.stop();
      done();
    });
    this.addAdmission(server);
  }

  /**
   * Charges customers for the time of their statements; that of a batch is divided by the bytes of their rows.
   * @returns the time, in milliseconds
   */
  private chargeStatements({ customers, bytes, ms, connections }: StatementTime, delayMs: number): number {
    const ownMs = ms - delayMs;
    if (ownMs <= 0) return ownMs;
    let all = 0;
    for (const count of bytes) all += ROW_BYTES + count;
    const msPerByte = ownMs / connections / all;
    for (const [place, customer] of customers.entries())
      this.shares.charge(customer, (ROW_BYTES + (bytes[place] ?? 0)) * msPerByte);
    return ownMs;
  }

  /**
   * Adds the hook that lets customers take turns, and admits each request in its turn: a refusal takes time, too. Health checks are
   * never refused, as a process that has much to do is healthy; but anyone can ask for them, so they take turns. They make nobody a
   * party: a customer that is alone with those of the proxy takes nothing from others.
   */
  addAdmission(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      const entry: Entry = { isCheck: isHealthCheck(request) };
      // 'close' covers both: answered, or the client disconnected, as most do in an overload.
      onReplyClosed(reply.raw, () => this.leave(request, reply, entry));
      const begin = () => this.enter(request, reply, entry) && done();
      if (this.turns.isLate) this.wait(request, reply, entry, begin);
      else begin();
    });
  }

  /** Lets a request wait for its party's turn. */
  private wait(request: FastifyRequest, reply: FastifyReply, entry: Entry, begin: () => void): void {
    entry.since = performance.now();
    const inTurn = () => {
      if (isClientGone(request)) return;
      // Of many parties that together ask for too much, each would wait for all others only to be refused.
      if (this.shares.isOverloaded && this.ask(request, entry) === 'all_used')
        return this.refuse(request, reply, entry);
      this.turns.wait(entry.countedFor ?? this.parts.callerOf(request) ?? partyOf(request), () => {
        if (!isClientGone(request)) begin();
      });
    };
    // What a connection brings with its first request is read in one turn, its end in the next. Many that were abandoned while they waited
    // to be accepted would otherwise cost as much as those that are answered.
    if (isFirstOfConnection(request.raw.socket)) setImmediate(inTurn);
    else inTurn();
  }

  /** Admits a request whose turn it is. @returns whether it is accepted; otherwise it was answered */
  private enter(request: FastifyRequest, reply: FastifyReply, entry: Entry): boolean {
    if (this.ask(request, entry) === 'granted') return true;
    this.refuse(request, reply, entry);
    return false;
  }

  /** Asks once whether a request is accepted. */
  private ask(request: FastifyRequest, entry: Entry): Grant {
    if (entry.grant) return entry.grant;
    if (!this.shares.isHolding || entry.isCheck) return (entry.grant = 'granted');
    const customer = (entry.countedFor = this.parts.callerOf(request));
    return (entry.grant = this.shares.admit(customer ?? partyOf(request), customer !== undefined, entry.since));
  }

  private refuse(request: FastifyRequest, reply: FastifyReply, { grant, countedFor: customer }: Entry): void {
    const party = customer ?? partyOf(request);
    if (grant === 'share_used') {
      this.refusals.share_used++;
      this.log.write(party, customer);
    } else this.refusals.all_used++;
    const error = grant === 'share_used' ? this.shareUsed(party, customer) : ALL_USED;
    sendProblem(reply, problemOf(error, request.id));
  }

  /** Charges the party of a request that has ended, unless it was refused. */
  private leave(request: FastifyRequest, reply: FastifyReply, { isCheck, countedFor, grant = 'granted' }: Entry): void {
    const inPieces = comesInTooManyPieces(request.raw);
    if (grant !== 'granted' || (isCheck && !inPieces)) return;
    const party = this.payerOf(request, reply);
    if (inPieces) this.shares.charge(party, DROPPED_PIECES_MS);
    this.shares.finish(party, party === countedFor);
  }

  /**
   * Who pays for a request that has ended. One that ended before it was authenticated is paid for by whom {@link ask} has asked, unless
   * its token was refused.
   */
  private payerOf(request: FastifyRequest, { statusCode }: FastifyReply): string {
    const isKnown = request.customer !== undefined || statusCode === UNAUTHORIZED;
    return (isKnown ? undefined : this.parts.callerOf(request)) ?? partyOf(request);
  }

  private shareUsed(party: string, customer: string | undefined): ServiceError {
    const seconds = Math.ceil(this.shares.secondsUntilShare(party));
    const retry = { retryAfterSeconds: Math.min(LONGEST_RETRY, Math.max(1, seconds)) };
    return new ServiceError('rate_limited', customer === undefined ? ADDRESS_SHARE : CUSTOMER_SHARE, retry);
  }
}

/** What the load shedder knows of a request. */
interface Entry {
  readonly isCheck: boolean;
  /** When it came, if it waits for its turn. */
  since?: number;
  /** The customer whose share was asked for, and who was counted then; undefined if its token is not known yet. */
  countedFor?: string;
  /** Whether it is accepted, once that has been asked. */
  grant?: Grant;
}

/** Whether a request's client has closed the connection, or its side of it: then Node sends no reply that has not begun. */
function isClientGone({ raw: { socket } }: FastifyRequest): boolean {
  return socket.destroyed || socket.writableEnded;
}

function isHealthCheck({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith('/health/') === true;
}

/** One for all: it has a stack, which takes time to make. */
const ALL_USED = new ServiceError(
  'service_unavailable',
  'The service gets more requests than it can serve; try again',
  {
    retryAfterSeconds: 1,
  },
);
const CUSTOMER_SHARE =
  'Your requests use more than your share of the service while requests of others wait; send fewer at a time, or smaller ones';
const ADDRESS_SHARE =
  'Requests without a valid token from your address use more than their share of the service while other requests wait; send fewer';

/** Names those that take more than their share: each at most once a minute, and not more than ten a minute. */
class ShareLog {
  private readonly logger = new Logger('Overload');
  private readonly named = new Set<string>();
  private since = -Infinity;

  write(party: string, customer: string | undefined): void {
    const now = performance.now();
    if (now - this.since > NAMED_FOR_MS) {
      this.since = now;
      this.named.clear();
    }
    if (this.named.has(party) || this.named.size >= MOST_NAMED) return;
    this.named.add(party);
    const who = customer === undefined ? { address: party } : { customer_id: customer };
    this.logger.warn({ msg: 'requests are refused: they take more than their share of the time', ...who });
  }
}

const NAMED_FOR_MS = 60_000;
const MOST_NAMED = 10;

/** Time of a turn of the event loop after which requests wait for a later one, in milliseconds. */
const SLICE_MS = 8;
/** Requests that begin in one turn at most; each lets its own work be done before the next. */
const MOST_A_TURN = 64;

interface Waiting {
  begin: () => void;
  since: number;
}

/**
 * Lets parties take turns at the event loop. While a turn is short, every request begins at once. When one party sends many at a time,
 * Node hands all of them over in one turn, and whoever else asks or waits for the database would wait for their work at each step. So
 * after some milliseconds requests wait, one queue for each party, and begin in later turns, one of each party after the other.
 */
export class FairTurns {
  /** When the first request of the present turn came. */
  private turnBegan?: number | undefined;
  /** By party, the one whose turn is next first. */
  private readonly queues = new Map<string, Waiting[]>();
  private count = 0;
  /** Steps that are scheduled for the next turn, and when the first of them ran. */
  private steps = 0;
  private stepsBegan?: number | undefined;

  /** Whether a request has to wait. */
  get isLate(): boolean {
    if (this.count > 0) return true;
    const now = performance.now();
    if (this.turnBegan === undefined) {
      this.turnBegan = now;
      setImmediate(() => (this.turnBegan = undefined));
    }
    return now - this.turnBegan > SLICE_MS;
  }

  /** How many requests wait. */
  get waiting(): number {
    return this.count;
  }

  /** How long the first of those that wait has waited, in milliseconds. */
  get longestMs(): number {
    let since = Infinity;
    for (const [first] of this.queues.values()) if (first && first.since < since) since = first.since;
    return since === Infinity ? 0 : performance.now() - since;
  }

  /** Begins a request when it is its party's turn. */
  wait(party: string, begin: () => void): void {
    const queue = this.queues.get(party);
    // In the context of the request, such as its trace: steps run in that of another one.
    const inContext = AsyncLocalStorage.snapshot();
    const waiting = { begin: () => inContext(begin), since: performance.now() };
    if (queue) queue.push(waiting);
    else this.queues.set(party, [waiting]);
    this.count++;
    this.schedule();
  }

  private schedule(): void {
    if (this.steps > 0) return;
    this.steps = Math.min(this.count, MOST_A_TURN);
    this.stepsBegan = undefined;
    // Each by itself: what a request does at once, in promises too, is done before the next step.
    for (let step = 0; step < this.steps; step++) setImmediate(this.step);
  }

  private readonly step = (): void => {
    this.steps--;
    const now = performance.now();
    this.stepsBegan ??= now;
    const begin = now - this.stepsBegan < SLICE_MS ? this.next() : undefined;
    if (this.steps === 0 && this.count > 0) this.schedule();
    begin?.();
  };

  /** The first request of the first party, whose turn comes last then. */
  private next(): (() => void) | undefined {
    for (const [party, queue] of this.queues) {
      const first = queue.shift();
      this.queues.delete(party);
      if (queue.length > 0) this.queues.set(party, queue);
      if (!first) continue;
      this.count--;
      return first.begin;
    }
    return undefined;
  }
}
