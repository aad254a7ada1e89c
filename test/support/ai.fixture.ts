import { randomBytes } from 'node:crypto';
import type { DynamicModule, Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Client } from 'pg';
import {
  type AiAnswer,
  AiMessagesService,
  type AnswerForm,
  AiModule,
  AiOperatorModule,
  AiVerificationOperatorService,
} from '@domains/ai';
import { ConfigModule } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { DatabaseModule } from '@platform/database';
import { readMessageRequest } from './read-message-request';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { setDatabaseClock } from './database-clock';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';

/**
 * The AI domain without its HTTP side: a database, engines like those of API processes, and the sandbox as provider.
 */
export interface AiFixture {
  database: TestDatabase;
  superuser: Client;
  sandbox: Sandbox;
  engines: TestingModule[];
  operator: TestingModule;
  /** Sets the clock that engines and operator follow. */
  setTime(instant: string): Promise<void>;
  /** Sends a body as the customer through an engine. @returns the parsed reply */
  send(customerId: string, body: object | string, engine?: number): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** An answer that is not streamed. */
export const AS_JSON: AnswerForm = { stream: false, headers: () => ({}), errorEvent: () => Buffer.alloc(0) };

/** The bytes of an answer that is not streamed. */
export function bytesOf(answer: AiAnswer): Buffer {
  if ('body' in answer) return answer.body;
  throw new Error('The answer is a stream');
}

/** Creates a number of engines on one database, with further modules beside the AI domain. */
export async function createAiFixture(
  settings: Record<string, string> = {},
  engineCount = 1,
  extra: { engine?: (Type | DynamicModule)[]; operator?: (Type | DynamicModule)[] } = {},
): Promise<AiFixture> {
  const sandbox = await startSandbox();
  const database = await createTestDatabase({
    ANTHROPIC_BASE_URL: sandbox.urls.messages,
    ANTHROPIC_API_KEY: 'service-wide-key',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    AI_UPSTREAM_TIMEOUT_MS: '5000',
    ...settings,
  });
  const superuser = await connectAsSuperuser(database);
  const compile = async (role: 'customer_api' | 'account_operator', ...modules: (Type | DynamicModule)[]) => {
    const built = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as(role), ...modules],
    }).compile();
    built.useLogger(false);
    return built.init();
  };
  const engines: TestingModule[] = [];
  for (let count = 0; count < engineCount; count++)
    engines.push(await compile('customer_api', AiModule, ...(extra.engine ?? [])));
  const operator = await compile('account_operator', AiOperatorModule, ...(extra.operator ?? []));
  return {
    database,
    superuser,
    sandbox,
    engines,
    operator,
    setTime: (instant) => setDatabaseClock(superuser, { standsAt: instant }),
    send: async (customerId, body, engine = 0) => {
      const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      const request = readMessageRequest(bytes, 1_000_000);
      const module = engines[engine % engines.length] as TestingModule;
      const reply = await asCustomer(module, customerId, () =>
        module.get(AiMessagesService).send({ tokenId: null, requestId: 'test' }, request, AS_JSON),
      );
      return JSON.parse(bytesOf(reply).toString()) as Record<string, unknown>;
    },
    close: async () => {
      await Promise.all([...engines, operator].map((module) => module.close()));
      await superuser.end();
      await sandbox.close();
      await database.drop();
    },
  };
}

/** A customer's balances as numbers. */
export async function balancesOf(superuser: Client, customerId: string) {
  const { rows } = await superuser.query<{
    included: number;
    purchased: number;
    reserved: number;
    usage: number;
    month: string;
  }>(
    'select included::float, purchased::float, reserved::float, month_usage::float as usage, month from ai_account where customer_id = $1',
    [customerId],
  );
  const [row] = rows;
  if (!row) throw new Error('no account');
  return row;
}

/** The differences that the verification finds: there must be none at any time. */
export function problemsOf(fixture: AiFixture, customerId?: string) {
  return fixture.operator.get(AiVerificationOperatorService).verify(customerId);
}

/** Runs work as a customer, like a separate request. */
export function asCustomer<T>(engine: TestingModule, customerId: string, work: () => Promise<T>): Promise<T> {
  return engine.get(CustomerContextService).run(customerId, work);
}
