import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Client } from 'pg';
import { type OperatorRole, OperatorAccountsService, OperatorSessionsService } from '@platform/operator-accounts';
import { AppModule } from '../../apps/operator-api/src/app.module';
import { createApplication } from '../../apps/operator-api/src/create-application';
import { observeReplies } from './conformance/observe-replies';
import { faker } from './faker';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';

/** The operator API, listening on a port, with its own database. */
export interface TestOperatorApi {
  app: NestFastifyApplication;
  /** Address of `/operator/v1`. */
  baseUrl: string;
  /** Address of the server itself. */
  origin: string;
  database: TestDatabase;
  /** A superuser's connection, to create and check records. */
  superuser: Client;
  stop(): Promise<void>;
}

/** The browser that tests pretend to be. */
export const USER_AGENT = 'Test browser';

/** Starts the operator API. `settings` are further environment variables. */
export async function startOperatorApi(
  settings: Record<string, string> = {},
  on?: TestDatabase,
): Promise<TestOperatorApi> {
  const database =
    on ??
    (await createTestDatabase({
      OPERATOR_PORT: '0',
      RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
      OPERATOR_LOGIN_ATTEMPTS_PER_MINUTE: '1000000',
      ...settings,
    }));
  const app = await createApplication(database.config, AppModule.with(database.config));
  observeReplies(app, { document: 'apps/operator-api/openapi.json', prefix: '/operator/v1' });
  await app.listen({ host: '127.0.0.1', port: on ? 0 : database.config.OPERATOR_PORT });
  const superuser = await connectAsSuperuser(database);
  const origin = (await app.getUrl()).replace('127.0.0.1', 'localhost').replace('[::1]', 'localhost');
  return {
    app,
    origin,
    baseUrl: `${origin}/operator/v1`,
    database,
    superuser,
    async stop() {
      await app.close();
      await superuser.end();
      if (!on) await database.drop();
    },
  };
}

/** A person who is logged in. */
export interface TestOperator {
  id: string;
  name: string;
  email: string;
  /** The session's cookie, as a browser sends it. */
  cookie: string;
  /** Calls a path below the base address, as the console's pages do. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a body as JSON; none for a route without one. */
  post(path: string, body?: object): Promise<Response>;
}

/** Makes an account and logs it in. */
export async function logIn(api: TestOperatorApi, role: OperatorRole): Promise<TestOperator> {
  const name = faker.string.alpha({ length: 12, casing: 'lower' });
  const email = `${name}@example.com`;
  const accounts = api.app.get(OperatorAccountsService);
  await accounts.invite('operator:test', { email, role });
  const account = await accounts.find(email);
  const browser = { userAgent: USER_AGENT, network: '127.0.0.1' };
  const secret = await api.app.get(OperatorSessionsService).begin(account, { method: 'link' }, browser);
  const cookie = `__Host-operator_session=${secret}`;
  const call = operatorCaller(api, cookie);
  return { id: account.id, name, email, cookie, call, post: (path, body) => call(path, postOf(body)) };
}

/** A POST of a body as JSON. */
export function postOf(body?: object): RequestInit {
  return {
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  };
}

/** Calls paths below the base address with a cookie, as the console's pages do. */
export function operatorCaller({ baseUrl, origin }: Pick<TestOperatorApi, 'baseUrl' | 'origin'>, cookie: string) {
  return (path: string, init: RequestInit = {}) =>
    fetch(`${baseUrl}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { cookie, origin, 'user-agent': USER_AGENT, ...(init.headers as Record<string, string> | undefined) },
    });
}
