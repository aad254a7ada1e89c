import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Client } from 'pg';
import {
  AiModule,
  AiOperatorModule,
  AiVerificationOperatorService,
  CreditLedger,
  type CreditLedgerService,
  type LedgerProblem,
  type ReservationRequest,
  type TokenUsage,
} from '@domains/ai';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { PLAIN_PRICE, saveModelPrice } from './ai-factories';
import { setDatabaseClock } from './database-clock';
import { ON_CLUSTER } from './kinds-of-server';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';

/** The two ways of the ledger, by name. Both hold to the same rules. */
const ENGINES = { 'over many customers': 'one server', 'per customer': 'cluster' } as const;
export type LedgerName = keyof typeof ENGINES;
/** Those that the database can run: on a cluster no statement serves many customers. */
export const LEDGER_NAMES: LedgerName[] = ON_CLUSTER ? ['per customer'] : ['over many customers', 'per customer'];

/** The credit ledger without a gateway: two engines on one database, like two API processes. */
export interface LedgerFixture {
  database: TestDatabase;
  superuser: Client;
  operator: TestingModule;
  engines: TestingModule[];
  /** A model with a plain price. */
  model: string;
  /** Sets the database's clock. */
  setTime(instant: string): Promise<void>;
  /** An engine's ledger. It tells a request of `request` the id of its reservation. */
  ledger(engine?: number): CreditLedger;
  /** Balances in the database. */
  account(customerId: string): Promise<Record<string, string>>;
  entries(customerId: string): Promise<{ kind: string; bucket: string; amount: number; month: string }[]>;
  /** Differences that the verification finds. */
  problems(customerId?: string): Promise<LedgerProblem[]>;
  close(): Promise<void>;
}

export async function createLedgerFixture(
  settings: Record<string, string> = {},
  name: LedgerName = LEDGER_NAMES[0]!,
): Promise<LedgerFixture> {
  const database = await createTestDatabase({
    ANTHROPIC_API_KEY: 'service-wide',
    AI_UPSTREAM_TIMEOUT_MS: '10000',
    AI_RESERVATION_MARGIN_MS: '1000',
    ...settings,
  });
  const superuser = await connectAsSuperuser(database);
  const module = async (role: 'customer_api' | 'account_operator') => {
    const imports = [
      ConfigModule.for(database.config),
      DatabaseModule.as(role),
      role === 'customer_api' ? AiModule : AiOperatorModule,
    ];
    const built = await (await Test.createTestingModule({ imports }).compile()).init();
    if (role === 'customer_api') built.get<CreditLedgerService>(CreditLedger).use(ENGINES[name]);
    return built;
  };
  const engines = [await module('customer_api'), await module('customer_api')];
  const operator = await module('account_operator');
  return {
    database,
    superuser,
    operator,
    engines,
    model: await saveModelPrice(superuser, PLAIN_PRICE),
    setTime: (instant) => setDatabaseClock(superuser, { standsAt: instant }),
    ledger: (engine = 0) => remembering((engines[engine % engines.length] as TestingModule).get(CreditLedger)),
    account: async (customerId) => {
      const { rows } = await superuser.query<Record<string, string>>(
        'select * from ai_account where customer_id = $1',
        [customerId],
      );
      return rows[0] ?? {};
    },
    entries: async (customerId) =>
      (
        await superuser.query<{ kind: string; bucket: string; amount: number; month: string }>(
          'select kind, bucket, amount::float, month from ai_ledger_entry where customer_id = $1 order by sequence',
          [customerId],
        )
      ).rows,
    problems: (customerId) => operator.get(AiVerificationOperatorService).verify(customerId),
    close: async () => {
      await Promise.all([...engines, operator].map((built) => built.close()));
      await superuser.end();
      await database.drop();
    },
  };
}

/** A request, and the id of its reservation as soon as it has one. */
export type TestRequest = ReservationRequest & { reservationId: string };

function remembering(ledger: CreditLedger): CreditLedger {
  return {
    reserve: async (request) => {
      const result = await ledger.reserve(request);
      if (result.outcome === 'reserved') Object.assign(request, { reservationId: result.reservationId });
      return result;
    },
    settle: (settlement) => ledger.settle(settlement),
    release: (release) => ledger.release(release),
    close: () => ledger.close(),
  };
}

/** A reservation request for 20 output tokens, by default 0.1 NOK. */
export function request(customerId: string, overrides: Partial<ReservationRequest> = {}): TestRequest {
  const seed = randomUUID();
  return {
    customerId,
    seed,
    reservationId: seed,
    inputTokens: 0,
    cache: 'none',
    maxTokens: 20,
    leastTokens: overrides.maxTokens ?? 20,
    mayShorten: true,
    streamed: false,
    requestId: 'request',
    tokenId: null,
    ...overrides,
  };
}

/** Usage as an upstream reports it. */
export function usage(tokens: Partial<TokenUsage>): TokenUsage {
  return { input: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 0, ...tokens };
}
