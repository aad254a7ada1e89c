import { countBackends } from '@test/backends';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { holdLock, waitForLocks } from '@test/locks';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { until } from '@test/until';

describe('the verification of all accounts in the operator API', () => {
  let api: TestOperatorApi;
  let kari: TestOperator;
  beforeAll(async () => {
    api = await startOperatorApi();
    kari = await logIn(api, 'viewer');
    const model = await saveModelPrice(api.superuser);
    for (let count = 0; count < 3; count++) await saveAiCustomer(api.superuser, { model, included: 10 });
  });
  afterAll(() => api.stop());

  const running = () => countBackends(api.superuser, `query like '%with carried as%' and state = 'active'`);

  it('is made once for all who ask meanwhile, and ends when the last one has gone', async () => {
    const release = await holdLock(api.database, 'lock table ai_ledger_entry in access exclusive mode');
    const clients = Array.from({ length: 3 }, () => new AbortController());
    const [patient, ...others] = clients.map(({ signal }) => kari.call('/ai/verification', { signal }));
    const gone = Promise.allSettled(others);
    await waitForLocks(api.superuser, 1);
    for (const client of clients.slice(1)) client.abort();
    await gone;
    await release();
    expect(await (await patient!).json()).toEqual({ accounts: 3, problems: [] });

    const again = await holdLock(api.database, 'lock table ai_ledger_entry in access exclusive mode');
    const last = new AbortController();
    const asked = kari.call('/ai/verification', { signal: last.signal }).catch((error: unknown) => error);
    await waitForLocks(api.superuser, 1);
    expect(await running()).toBe(1);
    last.abort();
    await asked;
    // While its lock is held, only its end can end it.
    await until(async () => (await running()) === 0);
    await again();
    expect(await (await kari.call('/ai/verification')).json()).toEqual({ accounts: 3, problems: [] });
  });
});
