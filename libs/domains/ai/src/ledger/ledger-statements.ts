import type { AppConfig } from '@platform/config';
import {
  type PipelineSettings,
  PipelinedConnectionsService,
  prepared,
  type PreparedStatement,
} from '@platform/database';
import type { ProcessHeartbeatService } from '../liveness/process-heartbeat.service';
import { providerSettings } from '../provider-keys/provider-settings';
import {
  type Release,
  type ReservationRequest,
  type ReservationResult,
  reservationLifetimeMs,
  type Resolution,
  type Settlement,
  type SettlementResult,
} from './credit-ledger.port';

const RESERVE = prepared('ai.reserve', 'select * from app.ai_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9)');
const SETTLE = prepared('ai.settle', 'select * from app.ai_settle($1, $2, $3, $4, $5)');
const RELEASE = prepared('ai.release', 'select * from app.ai_release($1, $2)');
const UNLOCKED = prepared('ai.unlocked-accounts', 'select app.ai_unlocked_accounts($1) as "customerId"');

const RESERVE_FOR = prepared('ai.reserve-for', 'select * from app.ai_reserve_for($1, $2, $3, $4, $5, $6, $7)');
const SETTLE_FOR = prepared('ai.settle-for', 'select * from app.ai_settle_for($1, $2, $3, $4, $5)');
const RELEASE_FOR = prepared('ai.release-for', 'select * from app.ai_release_for($1, $2)');
const UNLOCKED_FOR = prepared('ai.unlocked-account', 'select * from app.ai_unlocked_account($1)');

/** The provider's name in the usage rows: every call goes to the Messages API. */
const PROVIDER = 'anthropic';

/** A settlement named a reservation that is not there any more. The other calls of its batch are settled all the same. */
export class UnknownReservationError extends Error {
  constructor(reservationId: string) {
    super(`The ledger knows no reservation ${reservationId}`);
  }
}

/** The kind of database: only one server runs a statement about several customers. */
export type LedgerEngine = 'one server' | 'cluster';

/**
 * The statements of the ledger. Each is about a batch that is sorted by customer, all or nothing, and gives the results in the
 * order of the batch. A call that comes alone is a statement about its customer: that costs less than a batch of one. On a
 * cluster every batch is about one customer.
 */
export class LedgerStatements {
  private readonly timeZone: string;
  /** How long reservations are pending at most: those of messages in whole, and those of streams. */
  private readonly lifetimes: { whole: string; streamed: string };
  /** Whether calls of customers without a key of their own are made with the service's. */
  private readonly sharedKey: boolean;
  private readonly patienceMs: number;

  constructor(
    private readonly engine: LedgerEngine,
    private readonly connections: LedgerConnections,
    private readonly heartbeat: ProcessHeartbeatService,
    config: AppConfig,
  ) {
    this.timeZone = config.BILLING_TIMEZONE;
    const lifetime = (streamed: boolean) => `${reservationLifetimeMs(config, streamed)} milliseconds`;
    this.lifetimes = { whole: lifetime(false), streamed: lifetime(true) };
    this.sharedKey = providerSettings(config).sharedKey !== undefined;
    this.patienceMs = config.DATABASE_STATEMENT_TIMEOUT_MS;
  }

  async reserve(batch: ReservationRequest[], wait: LockWait): Promise<ReservationResult[]> {
    const calls = compositeArray(batch.map(requestFields));
    // A statement has one lifetime: the longest that a call of the batch needs.
    const lifetime = batch.some(({ streamed }) => streamed) ? this.lifetimes.streamed : this.lifetimes.whole;
    const rest = [calls, this.timeZone, lifetime, this.notAfter(), this.sharedKey, this.heartbeat.processId];
    const customerId = this.singleCustomer(batch);
    if (customerId)
      return reservationResults(
        batch,
        await this.connections.single<ReservationRow>(RESERVE_FOR, [customerId, ...rest], wait, batch),
      );
    const { ids, first, last } = customersOf(batch);
    return reservationResults(
      batch,
      await this.connections.single<ReservationRow>(RESERVE, [ids, first, last, ...rest], wait, batch),
    );
  }

  async settle(batch: Settlement[], wait: LockWait): Promise<SettlementResult[]> {
    const customerId = this.singleCustomer(batch);
    const { ids, owner } = customersOf(batch);
    const calls = compositeArray(batch.map((call, index) => settlementFields(call, owner[index])));
    const values = [customerId ?? ids, calls, this.timeZone, this.notAfter(), PROVIDER];
    return settlementResults(
      batch,
      await this.connections.single<SettlementRow>(customerId ? SETTLE_FOR : SETTLE, values, wait, batch),
    );
  }

  async release(batch: Release[], wait: LockWait): Promise<(Resolution | undefined)[]> {
    const customerId = this.singleCustomer(batch);
    const { ids, owner } = customersOf(batch);
    const calls = compositeArray(batch.map((call, index) => releaseFields(call, owner[index])));
    const values = [customerId ?? ids, calls];
    return releaseResults(
      batch,
      await this.connections.single<ReleaseRow>(customerId ? RELEASE_FOR : RELEASE, values, wait, batch),
    );
  }

  /** Those of the customers whose accounts are not locked, without waiting for the others. */
  async unlocked(customerIds: string[]): Promise<string[]> {
    interface Row {
      customerId: string;
    }
    const found =
      this.engine === 'cluster'
        ? (await Promise.all(customerIds.map((id) => this.connections.single<Row>(UNLOCKED_FOR, [id])))).flat()
        : await this.connections.single<Row>(UNLOCKED, [customerIds]);
    return found.map(({ customerId }) => customerId);
  }

  /** The customer that the statement about a batch names, if it names only one. */
  private singleCustomer(batch: readonly { customerId: string }[]): string | undefined {
    return batch.length === 1 || this.engine === 'cluster' ? batch[0]?.customerId : undefined;
  }

  /**
   * When the caller of a statement that is sent now stops waiting: the database does not begin the statement after
   * that.
   */
  private notAfter(): Date {
    return new Date(this.heartbeat.databaseTime().getTime() + this.patienceMs);
  }
}

/** How a statement meets a locked account: it gives up soon, for the other customers of its batch, or is one customer's and waits. */
export type LockWait = 'brief' | 'patient';

/**
 * Longest time that a statement waits for a locked account. While a brief one waits, all other customers of its batch do.
 * A patient one is about one customer; it outlasts a queue of many replicas, and then others may have its connection.
 */
const LOCK_TIMEOUT_MS = { brief: 100, patient: 1000 } satisfies Record<LockWait, number>;

/**
 * The ledger's own connections. A batch may wait for an account's lock; on shared connections, reads would wait behind
 * it. They close after the last call in progress is settled, later than Nest closes the others.
 */
export class LedgerConnections {
  /** Number of connections for patient statements. They are opened at their first use. */
  static readonly patient = 2;
  private readonly connections: Record<LockWait, PipelinedConnectionsService>;

  constructor({ client, times }: PipelineSettings, { AI_LEDGER_CONNECTIONS }: AppConfig) {
    const settings = (wait: LockWait) => {
      const options = `${client.options ?? ''} -c lock_timeout=${LOCK_TIMEOUT_MS[wait]}`;
      return { ...client, options, keepOpen: wait === 'brief' && client.keepOpen };
    };
    this.connections = {
      brief: new PipelinedConnectionsService({ client: settings('brief'), size: AI_LEDGER_CONNECTIONS, times }),
      patient: new PipelinedConnectionsService({ client: settings('patient'), size: LedgerConnections.patient }),
    };
  }

  /**
   * Runs a statement. Of the patient ones there may be {@link patient} at a time; their time is charged to nobody, since they wait for a
   * lock that may be another's. @param batch the calls that its time is charged to @throws DatabaseUnavailableError
   */
  single<Row extends object>(
    statement: PreparedStatement,
    values: unknown[],
    wait: LockWait = 'brief',
    batch: readonly { customerId: string }[] = [],
  ): Promise<Row[]> {
    const customers = batch.map(({ customerId }) => customerId);
    return this.connections[wait].single<Row>(statement, values, customers);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.connections).map((connections) => connections.onApplicationShutdown()));
  }
}

/** The customers of a batch that is sorted by customer. Positions count from 1. */
interface Customers {
  /** Distinct and sorted. */
  ids: string[];
  /** Position of each customer's first item in the batch. */
  first: number[];
  /** Position of each customer's last item in the batch. */
  last: number[];
  /** For each item, the position of its customer in `ids`. */
  owner: number[];
}

function customersOf(batch: readonly { customerId: string }[]): Customers {
  const customers: Customers = { ids: [], first: [], last: [], owner: [] };
  for (const [index, { customerId }] of batch.entries()) {
    if (customers.ids.at(-1) !== customerId) {
      customers.ids.push(customerId);
      customers.first.push(index + 1);
      customers.last.push(index + 1);
    }
    customers.last[customers.last.length - 1] = index + 1;
    customers.owner.push(customers.ids.length);
  }
  return customers;
}

/** A field of a composite value. */
type Field = string | number | boolean | Buffer | null;

/** As `app.ai_reservation_request`. */
function requestFields(call: ReservationRequest): Field[] {
  return [
    call.seed,
    call.inputTokens,
    call.cache,
    call.maxTokens,
    call.leastTokens,
    call.mayShorten,
    call.requestId,
    call.tokenId,
    call.key?.hash ?? null,
    call.key?.fingerprint ?? null,
  ];
}

/** As `app.ai_settlement`. @param owner the place of the call's customer in the batch's list of customers */
function settlementFields(
  { reservationId, usage, upstreamId, streamed, reply }: Settlement,
  owner: number | undefined,
): Field[] {
  return [
    owner ?? null,
    reservationId,
    usage.input,
    usage.cacheWrite5m,
    usage.cacheWrite1h,
    usage.cacheRead,
    usage.output,
    upstreamId,
    streamed ?? false,
    reply?.secretsKey ?? null,
    reply?.body ?? null,
  ];
}

/** As `app.ai_release_request`. @param owner the place of the call's customer in the batch's list of customers */
function releaseFields({ reservationId, seed, outcome, reason }: Release, owner: number | undefined): Field[] {
  return [owner ?? null, reservationId ?? null, seed ?? null, outcome, reason];
}

/** Texts that need no quotes: most fields are ids and numbers. */
const PLAIN = /^[\w.:~+/=@-]+$/;

/**
 * An array of composite values as PostgreSQL reads it: each row's fields in the order of the type's. A quoted text is
 * quoted twice, as a field of its row and with the row as an element of the array.
 * https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX
 */
export function compositeArray(rows: readonly (readonly Field[])[]): string {
  return `{${rows.map((row) => `"(${row.map(textOf).join(',')})"`).join(',')}}`;
}

function textOf(field: Field): string {
  if (field === null) return '';
  // As quoted twice: hexadecimal digits need no look.
  if (Buffer.isBuffer(field)) return `\\"\\\\\\\\x${field.toString('hex')}\\"`;
  if (typeof field !== 'string' || PLAIN.test(field)) return String(field);
  return escaped(`"${escaped(field)}"`);
}

function escaped(text: string): string {
  return text.replace(/["\\]/g, '\\$&');
}

/** `app.ai_reservation_result`. `place` is that of the call in its batch, from 1. */
interface ReservationRow {
  place: number;
  outcome: ReservationResult['outcome'];
  id: string;
  model: string;
  key_ciphertext: Buffer | null;
  max_tokens: number;
}

/** The results of a batch in its order. A call without a row belongs to a customer without an account. */
function reservationResults(batch: readonly unknown[], rows: readonly ReservationRow[]): ReservationResult[] {
  const results = Array<ReservationResult>(batch.length).fill({ outcome: 'disabled' });
  for (const row of rows) results[row.place - 1] = toReservationResult(row);
  return results;
}

function toReservationResult(row: ReservationRow): ReservationResult {
  const upstream = { model: row.model, keyCiphertext: row.key_ciphertext };
  switch (row.outcome) {
    case 'reserved':
      return { outcome: 'reserved', reservationId: row.id, ...upstream, maxTokens: row.max_tokens };
    case 'too_large':
      return { outcome: 'too_large', ...upstream };
    default:
      return { outcome: row.outcome };
  }
}

/** `app.ai_settlement_result`. */
type SettlementRow = SettlementResult & { place: number };

function settlementResults(batch: readonly Settlement[], rows: readonly SettlementRow[]): SettlementResult[] {
  const results: SettlementResult[] = [];
  for (const { place, ...result } of rows) results[place - 1] = result;
  for (const [index, { reservationId }] of batch.entries())
    if (!results[index]) throw new UnknownReservationError(reservationId);
  return results;
}

/** A row of `app.ai_release` and `app.ai_release_for`. */
interface ReleaseRow {
  place: number;
  outcome: Resolution;
}

function releaseResults(batch: readonly Release[], rows: readonly ReleaseRow[]): (Resolution | undefined)[] {
  const results = Array<Resolution | undefined>(batch.length).fill(undefined);
  for (const { place, outcome } of rows) results[place - 1] = outcome;
  return results;
}
