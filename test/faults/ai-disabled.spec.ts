import { type ApiProcess, startApiProcess } from '@test/api-process';
import { caller } from '@test/api';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';
import { until } from '@test/until';

const ROUNDS = 5;

const database = useTestDatabase();

describe('AI that the operator disables', () => {
  let replicas: ApiProcess[];

  beforeAll(async () => {
    const settings = {
      DATABASE_URL: database.url,
      RATE_LIMIT_AI_PER_MINUTE: '1000000',
      RATE_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
    };
    replicas = await Promise.all([startApiProcess(settings), startApiProcess(settings)]);
    await until(async () => (await Promise.all(replicas.map(receivesChanges))).every(Boolean));
  }, 240_000);
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
  });

  const receivesChanges = async ({ metricsUrl }: ApiProcess) =>
    /^token_cache_trusted 1$/m.test(await (await fetch(metricsUrl)).text());

  /** The status of a message without content: 400 while AI is enabled; the permission is checked first. */
  async function statusOf({ baseUrl }: ApiProcess, token: string): Promise<number> {
    const headers = { 'content-type': 'application/json' };
    const reply = await caller(baseUrl, token)('/ai/messages', { method: 'POST', headers, body: '{}' });
    await reply.arrayBuffer();
    return reply.status;
  }

  /**
   * Calls until a replica answers with this status. @returns when the last call with another status was sent, relative
   * to now
   */
  async function lastBefore(status: number, replica: ApiProcess, token: string): Promise<number> {
    const begun = performance.now();
    for (let last = -Infinity; ;) {
      const sentAt = performance.now() - begun;
      if ((await statusOf(replica, token)) === status) return last;
      last = sentAt;
    }
  }

  it('is refused by every replica within 100 ms, before the body is looked at, and used again as soon', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await enableAi(database.superuser, id, { model: await saveModelPrice(database.superuser) });
    const { token } = await saveFakeToken(database.superuser, id);
    for (const replica of replicas) expect(await statusOf(replica, token)).toBe(400);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [enabled, status] of [
        ['false', 403],
        ['true', 400],
      ] as const) {
        const done = await operatorCommand(database, `ai configure --customer ${id} --enabled ${enabled}`.split(' '));
        expect(done).toMatchObject({ code: 0, stderr: '' });
        const last = await Promise.all(replicas.map((replica) => lastBefore(status, replica, token)));
        expect(Math.max(...last)).toBeLessThan(100);
      }
    }
  }, 240_000);
});
