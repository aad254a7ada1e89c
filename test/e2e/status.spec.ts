import { randomUUID } from 'node:crypto';
import { createCaller, startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { saveFakeService } from '@test/factories/service.factory';
import { describeAuthentication } from '@test/suites/authentication.suite';
import { describePaging } from '@test/suites/paging.suite';

interface Status {
  service_id: number;
  status: string;
  events: { status: string; message: string; running: boolean; starts_at: string; ends_at: string | null }[];
}

const HOUR_MS = 3_600_000;

describe('GET /status', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  describeAuthentication(() => api, { method: 'GET', path: '/status' }, 'status:read');
  describePaging(
    () => api,
    '/status',
    'customer_service',
    (client, customerId, createdAt) => saveFakeService(client, customerId, { createdAt }),
    (item) => item.service_id,
  );

  /** Announces events: level, start and end in hours from now; without an end, the end is unknown. */
  async function statusWith(...events: [level: string, starts: number, ends?: number][]): Promise<Status> {
    const { customer, call } = await createCaller(api);
    const service = await saveFakeService(api.superuser, customer.id);
    for (const [level, starts, ends] of events) {
      const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
      await api.superuser.query(
        `insert into status_event (customer_id, id, service_id, status, message, starts_at, ends_at) values ($1, $2, $3, $4, $5, $6, $7)`,
        [
          customer.id,
          randomUUID(),
          service.id,
          level,
          `${level} ${starts}`,
          at(starts),
          ends === undefined ? null : at(ends),
        ],
      );
    }
    const { data } = (await (await call('/status')).json()) as { data: Status[] };
    expect(data).toHaveLength(1);
    return data[0] as Status;
  }

  it.each<[string, string, Parameters<typeof statusWith>]>([
    ['operational without events', 'operational', []],
    ['the level of the one that runs', 'degraded', [['degraded', -1]]],
    [
      'the worst of those that run',
      'outage',
      [
        ['maintenance', -1],
        ['outage', -3],
        ['degraded', -2],
      ],
    ],
    [
      'not that of one that has ended',
      'maintenance',
      [
        ['outage', -3, -1],
        ['maintenance', -2],
      ],
    ],
    [
      'not that of one that has not begun',
      'operational',
      [
        ['outage', 1],
        ['outage', 2, 3],
      ],
    ],
    ['that of one whose end is known and to come', 'degraded', [['degraded', -1, 1]]],
    ['operational when that is announced', 'operational', [['operational', -1]]],
  ])('is %s', async (_name, level, events) => {
    expect((await statusWith(...events)).status).toBe(level);
  });

  it('lists events under way first, then the newest', async () => {
    const { events } = await statusWith(
      ['maintenance', -5, -4],
      ['outage', 3],
      ['degraded', -9],
      ['outage', -2, -1],
      ['maintenance', -1],
    );
    expect(events.map(({ message, running }) => [message, running])).toEqual([
      ['maintenance -1', true],
      ['degraded -9', true],
      ['outage 3', false],
      ['outage -2', false],
      ['maintenance -5', false],
    ]);
  });

  it('shows the 20 newest events, yet knows the worst of all', async () => {
    const many = Array.from({ length: 25 }, (_, index): [string, number] => ['maintenance', -1 - index / 100]);
    const { status, events } = await statusWith(['outage', -100], ...many);
    expect([status, events.length]).toEqual(['outage', 20]);
    const newest = many.slice(0, 20).map(([, starts]) => `maintenance ${starts}`);
    expect(events.map(({ message }) => message)).toEqual(newest);
  });

  it('counts an event from the moment it begins until the moment it ends', async () => {
    const { customer, call } = await createCaller(api);
    const service = await saveFakeService(api.superuser, customer.id);
    await api.superuser.query(
      `insert into status_event (customer_id, id, service_id, status, message, starts_at, ends_at)
       values ($1, gen_random_uuid(), $2, 'outage', 'Down', '2026-03-10T10:00:00Z', '2026-03-10T11:00:00Z')`,
      [customer.id, service.id],
    );
    const at = async (time: string) => {
      await setDatabaseClock(api.superuser, { standsAt: `2026-03-10T${time}Z` });
      const { data } = (await (await call('/status')).json()) as { data: Status[] };
      return [data[0]?.status, data[0]?.events[0]?.running];
    };
    try {
      expect(await at('09:59:59.999')).toEqual(['operational', false]);
      expect(await at('10:00:00')).toEqual(['outage', true]);
      expect(await at('10:59:59.999')).toEqual(['outage', true]);
      expect(await at('11:00:00')).toEqual(['operational', false]);
    } finally {
      await setDatabaseClock(api.superuser, 'right');
    }
  });

  it('gives times in UTC and an open end as null', async () => {
    const { events } = await statusWith(['degraded', -1]);
    expect(events[0]).toMatchObject({ starts_at: expect.stringMatching(/^[\d-]+T[\d:.]+Z$/), ends_at: null });
  });

  it('keeps a service without events in the list, and its events to itself', async () => {
    const { customer, call } = await createCaller(api);
    const [first, second] = [
      await saveFakeService(api.superuser, customer.id),
      await saveFakeService(api.superuser, customer.id),
    ];
    await api.superuser.query(
      `insert into status_event (customer_id, id, service_id, status, message, starts_at) values ($1, $2, $3, 'outage', 'x', now())`,
      [customer.id, randomUUID(), first.id],
    );
    const { data } = (await (await call('/status')).json()) as { data: Status[] };
    expect(data.map(({ service_id, status, events }) => [service_id, status, events.length])).toEqual([
      [second.id, 'operational', 0],
      [first.id, 'outage', 1],
    ]);
  });
});
