import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { type AiApi, startAiApi } from '@test/ai-api';
import { describeOnOneServer } from '@test/kinds-of-server';
import { until } from '@test/until';
import { type Call, type OpenApiPaths, planCalls } from '../bench/growth/calls';
import { type PartitionUse, partitionUse, undueReads } from '../bench/growth/partition-use';
import { seedGrowth } from '../bench/growth/seed';

const ROWS = 24_000;
const CUSTOMERS = 2;
const ROUNDS = 3;

/** The full size is `npm run growth`. */
describeOnOneServer('Two years of rows', 'the nodes count what is read of an index', () => {
  let ai: AiApi;
  let token: string;
  let calls: Call[];
  beforeAll(async () => {
    ai = await startAiApi({ ELKS_URL: 'http://127.0.0.1:9', SMS_DAILY_CAP: '1000' });
    [token = ''] = await seedGrowth(ai.api.superuser, ROWS, CUSTOMERS);
    const document = JSON.parse(readFileSync(join(process.cwd(), 'openapi.json'), 'utf8')) as OpenApiPaths;
    calls = await planCalls(`${ai.api.origin}/api/v1`, token, document);
  }, 240_000);
  afterAll(() => ai.stop());

  const use = () => partitionUse(ai.api.superuser);
  const send = async ({ method, path, body }: Call) => {
    const reply = await fetch(`${ai.api.origin}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body()),
    });
    await reply.text();
    return reply.status;
  };
  /** Statistics come when a connection has been idle for some seconds. */
  const looked = (uses: PartitionUse[], table: string) =>
    uses.find(({ partition, age }) => partition.startsWith(table) && age === 0)?.looked ?? 0;

  it('are there', async () => {
    const { rows } = await ai.api.superuser.query(
      `select (select count(*)::int from ai_usage) as usage, (select count(*)::int from sms_message) as sms`,
    );
    expect(rows).toEqual([{ usage: ROWS, sms: ROWS }]);
    expect(calls.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POST /ai/messages', 'GET /sms/log', 'GET /sms/log, page 4', 'GET /ai/usage']),
    );
  });

  it('are left alone by every call that asks for the newest: indexes of two months are read, and nothing else', async () => {
    // What this test has counted itself counts as before.
    await ai.api.superuser.query('select pg_stat_force_next_flush()');
    const before = await use();
    for (let round = 0; round < ROUNDS; round++) {
      for (const call of calls)
        expect({ name: call.name, ok: (await send(call)) < 500 || call.path === '/sms/send' }).toMatchObject({
          ok: true,
        });
    }
    await until(async () => looked(await use(), 'sms_message') - looked(before, 'sms_message') >= 2 * ROUNDS);
    await until(async () => looked(await use(), 'ai_usage') > looked(before, 'ai_usage'));
    expect(undueReads(before, await use())).toEqual([]);
  }, 240_000);
});
