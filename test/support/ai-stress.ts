import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  AiMaintenanceService,
  AiOperatorModule,
  AiVerificationOperatorService,
  ProcessLivenessModule,
} from '@domains/ai';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { AbandonedReservations } from '../../apps/worker/src/abandoned-reservations';
import { enableAi, saveModelPrice, type TestAiCustomer } from './ai-factories';
import { type ApiProcess, startApiProcess } from './api-process';
import { saveFakeCustomer } from './factories/customer.factory';
import { saveFakeToken } from './factories/service-token.factory';
import { setDatabaseClock } from './database-clock';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';

/** Differences from the usual fixture. */
interface StressOptions {
  isWorkerDown: boolean;
  openDatabase: (settings: Record<string, string>) => Promise<TestDatabase>;
}

/** Outcome of a message: an HTTP status, or `cut` if the connection ended without one. */
export type Outcome = number | 'cut';

/** API processes on one database, a worker, and the sandbox as the AI provider, for load, kills and stops. */
export interface AiStress {
  database: TestDatabase;
  superuser: Client;
  sandbox: Sandbox;
  model: string;
  /** Starts another API process, with settings of its own. */
  start(settings?: Record<string, string>): Promise<ApiProcess>;
  /** Creates a customer with AI and a token. */
  customer(ai: Partial<TestAiCustomer>): Promise<{ id: string; token: string }>;
  /** Does the worker's maintenance as if every deadline had passed. @returns how many calls were abandoned */
  resolveAbandoned(): Promise<number>;
  /** Verifies the accounts and returns their figures. */
  audit(
    customerId: string,
  ): Promise<{ problems: object[]; reserved: number; spent: number; usages: number; duplicates: number }>;
  close(): Promise<void>;
}

/**
 * Creates the fixture; the test starts the processes.
 * @param isWorkerDown nobody resolves what dead processes reserved
 * @param openDatabase makes another database than a copy of the migrated template
 */
export async function openAiStress(
  settings: Record<string, string> = {},
  { isWorkerDown = false, openDatabase = createTestDatabase }: Partial<StressOptions> = {},
): Promise<AiStress> {
  const sandbox = await startSandbox();
  const generous = '1000000000';
  const shared = {
    ANTHROPIC_BASE_URL: sandbox.urls.messages,
    ANTHROPIC_API_KEY: 'service-wide-key',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    AI_UPSTREAM_TIMEOUT_MS: '10000',
    // One customer may have half of them.
    AI_UPSTREAM_CONNECTIONS: '2048',
    UPSTREAM_BREAKER_FAILURES: generous,
    RATE_LIMIT_REQUESTS_PER_MINUTE: generous,
    RATE_LIMIT_AI_PER_MINUTE: generous,
    RATE_LIMIT_ADDRESS_PER_MINUTE: generous,
    LOG_LEVEL: 'silent',
    ...settings,
  };
  const database = await openDatabase(shared);
  const superuser = await connectAsSuperuser(database);
  const model = await saveModelPrice(superuser);
  const worker: TestingModule = await Test.createTestingModule({
    imports: [
      ConfigModule.for(database.config),
      DatabaseModule.as('account_operator'),
      AiOperatorModule,
      ProcessLivenessModule,
    ],
    providers: isWorkerDown ? [] : [AbandonedReservations],
  }).compile();
  worker.useLogger(false);
  await worker.init();
  const processes: ApiProcess[] = [];
  return {
    database,
    superuser,
    sandbox,
    model,
    start: async (own = {}) => {
      const api = await startApiProcess({ ...shared, DATABASE_URL: database.url, ...own });
      processes.push(api);
      return api;
    },
    customer: async (ai) => {
      const { id } = await saveFakeCustomer(superuser);
      await enableAi(superuser, id, { model, ...ai });
      return { id, token: (await saveFakeToken(superuser, id)).token };
    },
    resolveAbandoned: async () => {
      await setDatabaseClock(superuser, { aheadBy: '1 hour' });
      const resolved = await worker.get(AiMaintenanceService).resolveAbandoned();
      await setDatabaseClock(superuser, 'right');
      return resolved;
    },
    audit: async (customerId) => {
      const { rows } = await superuser.query<{ reserved: number; spent: number; usages: number; duplicates: number }>(
        `select a.reserved::float, a.month_usage::float as spent,
                (select count(*)::int from ai_usage where customer_id = $1) as usages,
                (select (count(*) - count(distinct api_request_id))::int from ai_usage where customer_id = $1) as duplicates
         from ai_account a where customer_id = $1`,
        [customerId],
      );
      return { problems: await worker.get(AiVerificationOperatorService).verify(customerId), ...rows[0]! };
    },
    close: async () => {
      await Promise.all(processes.map((api) => api.stop('SIGKILL')));
      await worker.close();
      await superuser.end();
      await sandbox.close();
      await database.drop();
    },
  };
}

/** Sends a message. With `hangUpAfterMs` the client disconnects after that time. */
export async function sendMessage(
  api: ApiProcess,
  token: string,
  body: object,
  hangUpAfterMs?: number,
): Promise<Outcome> {
  try {
    const reply = await fetch(`${api.baseUrl}/ai/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: hangUpAfterMs === undefined ? null : AbortSignal.timeout(hangUpAfterMs),
    });
    await reply.arrayBuffer();
    return reply.status;
  } catch {
    return 'cut';
  }
}
