import { randomBytes } from 'node:crypto';
import { type Sandbox, startSandbox } from '../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { caller } from '@test/api';
import { type ApiProcess, startApiProcess } from '@test/api-process';
import { expectProblem } from '@test/expect-problem';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { useTestDatabase } from '@test/use-test-database';
import { until } from '@test/until';

/** Far below the 5 s after which a waiting statement is given up, far above the time of a refusal on a busy machine. */
const AT_ONCE_MS = 400;
/** More attempts than would be accepted with any waiting time. */
const EVERY_MS = 20;
const JSON_TYPE = { 'content-type': 'application/json' };

const database = useTestDatabase();

describe('more requests than can be served', () => {
  let sandbox: Sandbox;
  let api: ApiProcess;
  let call: ReturnType<typeof caller>;

  beforeAll(async () => {
    sandbox = await startSandbox();
    const { id } = await saveFakeCustomer(database.superuser);
    await enableAi(database.superuser, id, { model: await saveModelPrice(database.superuser), included: 1000 });
    api = await startApiProcess({
      DATABASE_URL: database.url,
      OVERLOAD_WAIT_MS: '100',
      ANTHROPIC_BASE_URL: sandbox.urls.messages,
      ANTHROPIC_API_KEY: 'service-wide-key',
      SECRETS_KEY: randomBytes(32).toString('base64'),
      ...Object.fromEntries(
        ['REQUESTS', 'AI', 'ADDRESS'].map((limit) => [`RATE_LIMIT_${limit}_PER_MINUTE`, '1000000']),
      ),
    });
    call = caller(api.baseUrl, (await saveFakeToken(database.superuser, id)).token);
  });
  afterAll(async () => {
    await api.stop('SIGKILL');
    await sandbox.close();
  });

  it('refuses none of 500 AI calls that one customer makes at once', async () => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 });
    const startedAt = performance.now();
    const replies = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const reply = await call('/ai/messages', { method: 'POST', headers: JSON_TYPE, body });
        await reply.arrayBuffer();
        return reply.status;
      }),
    );
    const tookMs = Math.round(performance.now() - startedAt);
    console.log(`500 AI calls at once: answered after ${tookMs} ms`);
    // On a machine too slow to serve them in 2 s some may be refused, but no other error may occur.
    const refused = replies.filter((status) => status === 503).length;
    expect({ refused: tookMs > 2000 ? 0 : refused, others: replies.filter((status) => status !== 503) }).toEqual({
      refused: 0,
      others: Array.from({ length: 500 - refused }, () => 201),
    });
  });

  it('refuses at once what would only wait, says when to come again, and takes all again after it', async () => {
    // Reads wait for the lock on all their connections.
    await database.superuser.query('begin');
    await database.superuser.query('lock table customer_service in access exclusive mode');
    const stuck: Promise<unknown>[] = [];
    let refusal: Response | undefined;
    await until(() => {
      const startedAt = performance.now();
      const noted = (reply: Response) => {
        if (performance.now() - startedAt < AT_ONCE_MS) refusal ??= reply;
      };
      stuck.push(call('/services').then(noted));
      return refusal !== undefined;
    }, EVERY_MS);
    await expectProblem(refusal as Response, 503, 'service_unavailable');
    expect(refusal?.headers.get('retry-after')).toBe('1');
    expect((await fetch(`${api.origin}/health/live`)).status).toBe(200);
    const metrics = await (await fetch(api.metricsUrl)).text();
    expect(metrics).toMatch(/^overloaded 1$/m);
    // All others wait for the lock.
    expect(metrics).toMatch(
      /^http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/services",status="503"\} [1-9]/m,
    );
    await database.superuser.query('rollback');
    const releasedAt = performance.now();
    await Promise.all(stuck);
    await until(async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => call('/services')));
      return replies.every(({ status }) => status === 200);
    });
    expect(performance.now() - releasedAt).toBeLessThan(10_000);
    await until(async () => /^overloaded 0$/m.test(await (await fetch(api.metricsUrl)).text()), 100);
  });
});
