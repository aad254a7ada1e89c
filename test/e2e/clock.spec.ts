import { startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { until } from '@test/until';

describe("an API whose clock is not the database's", () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterEach(() => setDatabaseClock(api.superuser, 'right'));
  afterAll(() => api.stop());

  const ready = () => fetch(`${api.origin}/health/ready`);

  it.each([
    ['1 minute', 'behind'],
    ['-1 minute', 'ahead of'],
  ])('is not ready, and says by how much: database ahead by %s', async (aheadBy, direction) => {
    await setDatabaseClock(api.superuser, { aheadBy });
    await until(async () => (await ready()).status === 503);
    const { status, detail } = (await (await ready()).json()) as { status: number; detail: string };
    expect({ status, detail }).toEqual({
      status: 503,
      detail: expect.stringMatching(
        new RegExp(`^The clock of this process is (59|60)\\.\\d s ${direction} the database's$`),
      ) as string,
    });
    await setDatabaseClock(api.superuser, 'right');
    await until(async () => (await ready()).status === 200);
  });

  it('is ready while they are 4 s apart', async () => {
    await setDatabaseClock(api.superuser, { aheadBy: '4 seconds' });
    expect((await ready()).status).toBe(200);
  });
});
