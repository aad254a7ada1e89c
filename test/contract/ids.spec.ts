import { randomUUID } from 'node:crypto';
import { setDatabaseClock } from '@test/database-clock';
import { useTestDatabase } from '@test/use-test-database';

/** RFC 9562: version 7, variant 10. */
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const database = useTestDatabase();

describe('ids that carry time', () => {
  afterEach(() => setDatabaseClock(database.superuser, 'right'));

  const value = async <T>(sql: string, given: unknown[] = []) =>
    (await database.superuser.query<{ value: T }>(`select ${sql} as value`, given)).rows[0]!.value;
  const milliseconds = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

  it('are version 7 of RFC 9562, with the milliseconds of the database’s clock', async () => {
    await setDatabaseClock(database.superuser, { aheadBy: '40 days' });
    const id = await value<string>('app.new_id()');
    expect(id).toMatch(UUID_V7);
    expect(Math.abs(milliseconds(id) - (await value<Date>('app.now()')).getTime())).toBeLessThan(10_000);
  });

  it('follow a clock that stands', async () => {
    await setDatabaseClock(database.superuser, { standsAt: '2031-05-06T07:08:09.123Z' });
    const late = milliseconds(await value<string>('app.new_id()')) - Date.parse('2031-05-06T07:08:09.123Z');
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(10_000);
  });

  it('are in the order in which they were made, in one statement and in one transaction', async () => {
    const ids = await value<string[]>('(select array_agg(app.new_id() order by i) from generate_series(1, 20000) i)');
    await database.superuser.query('begin');
    for (let made = 0; made < 20; made++) ids.push(await value<string>('app.new_id()'));
    await database.superuser.query('commit');
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort());
  });

  it.each([randomUUID(), '00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff'])(
    'have the last bytes of their seed, a random UUID: %s',
    async (seed) => {
      const id = await value<string>('app.new_id($1)', [seed]);
      expect(id).toMatch(UUID_V7);
      expect(id.slice(-17)).toBe(seed.slice(-17));
    },
  );

  it.each([
    '2026-12-01T00:00:00Z',
    '2026-12-01T00:00:00.000999Z',
    '2038-01-19T03:14:08Z',
    '2099-12-31T23:59:59.999999Z',
  ])('have a lower bound at %s, which lies above all of before', async (time) => {
    const [before, bound, after] = [
      `app.first_id(timestamptz '${time}' - interval '1 microsecond')`,
      `app.first_id('${time}')`,
      `app.first_id(timestamptz '${time}' + interval '1 microsecond')`,
    ];
    expect(await value<boolean>(`${before} < ${bound} and ${bound} < ${after}`)).toBe(true);
    expect(milliseconds(await value<string>(bound))).toBe(Date.parse(time));
    await setDatabaseClock(database.superuser, { standsAt: time });
    expect(await value<boolean>('app.new_id() > app.first_id(app.now())')).toBe(true);
  });

  it.each(['1969-12-31T23:59:59Z', '1926-11-27', '-infinity'])('are all above the lower bound at %s', async (time) => {
    expect(await value<boolean>(`app.first_id('${time}') = app.first_id('1970-01-01T00:00:00Z')`)).toBe(true);
    expect(await value<boolean>(`app.first_id('${time}') < app.new_id()`)).toBe(true);
  });

  it.each(['2540-05-25T00:00:00Z', '9999-12-31T23:59:59.999999Z', '294276-01-01', 'infinity'])(
    'are all below the lower bound at %s',
    async (time) => {
      expect(await value<string>(`app.first_id('${time}')`)).toMatch(UUID_V7);
      expect(await value<boolean>(`app.first_id('${time}') > app.first_id('2527-01-01T00:00:00Z')`)).toBe(true);
    },
  );

  it('have no lower bound at no time', async () => {
    expect(await value<null>('app.first_id(null)')).toBeNull();
  });

  it.each(['customer_api', 'account_operator'])('are made for %s', async (role) => {
    await database.superuser.query(`begin; set local role ${role}`);
    try {
      expect(await value<string>('app.new_id()')).toMatch(UUID_V7);
      expect(await value<string>('app.first_id(app.now())')).toMatch(UUID_V7);
    } finally {
      await database.superuser.query('rollback');
    }
  });
});
