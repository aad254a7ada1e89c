import { Module, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Client } from 'pg';
import { AppModule } from '../../apps/customer-api/src/app.module';
import { createApplication } from '../../apps/customer-api/src/create-application';
import { observeReplies } from './conformance/observe-replies';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';
import { type FakeToken, saveFakeToken } from './factories/service-token.factory';
import { saveFakeCustomer } from './factories/customer.factory';

/** The application with a test's additions. */
@Module({})
class ExtendedApp {}

/** The API, listening on a port, with its own database. */
export interface TestApi {
  app: NestFastifyApplication;
  /** Address of `/api/v1`. */
  baseUrl: string;
  /** Address of the server itself. */
  origin: string;
  database: TestDatabase;
  /** A superuser's connection that bypasses all isolation layers, to create and check records. */
  superuser: Client;
  stop(): Promise<void>;
}

/** Starts the API. `settings` are further environment variables; `controllers` are routes of the test's own. */
export async function startApi(
  settings: Record<string, string> = {},
  on?: TestDatabase,
  controllers: Type[] = [],
): Promise<TestApi> {
  const database = on ?? (await createTestDatabase(settings));
  const imports = [AppModule.with(database.config)];
  const app = await createApplication(database.config, { module: ExtendedApp, imports, controllers });
  observeReplies(app);
  await app.listen({ host: '127.0.0.1', port: database.config.PORT });
  const superuser = await connectAsSuperuser(database);
  const origin = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return {
    app,
    origin,
    baseUrl: `${origin}/api/v1`,
    database,
    superuser,
    async stop() {
      await app.close();
      await superuser.end();
      await database.drop();
    },
  };
}

/** A customer with a token, and a way to call the API with it. */
export async function createCaller(api: TestApi, fake: FakeToken = {}) {
  const customer = await saveFakeCustomer(api.superuser);
  const token = await saveFakeToken(api.superuser, customer.id, fake);
  return { customer, token, call: caller(api.baseUrl, token.token) };
}

/** Calls paths below the base address with a token. */
export function caller(baseUrl: string, token: string) {
  return (path: string, init: RequestInit = {}) =>
    fetch(`${baseUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
    });
}
