import { createCaller, startApi, type TestApi } from '@test/api';
import { setDatabaseClock } from '@test/database-clock';
import { saveFakeService } from '@test/factories/service.factory';
import { waitForLocks } from '@test/locks';
import { operatorCommand, operatorProcess } from '@test/operator-command';
import { connectAsSuperuser } from '@test/test-database';

interface Event {
  id: string;
  status: string;
  message: string;
  running: boolean;
  starts_at: string;
  ends_at: string | null;
}

/** Status events from their announcement to their end. */
describe('a status event', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  const operator = (...words: string[]) => operatorCommand(api.database, ['status', ...words, '--json']);

  async function announce(...more: string[]) {
    const { customer, call } = await createCaller(api);
    const service = await saveFakeService(api.superuser, customer.id);
    const words = ['--service', String(service.id), '--status', 'outage', '--message', 'Down', ...more];
    const { stdout } = await operator('post', ...words);
    const seen = async () => {
      const { data } = (await (await call('/status')).json()) as { data: { status: string; events: Event[] }[] };
      return { status: data[0]?.status, event: data[0]?.events[0] };
    };
    const audited = async () =>
      (
        await api.superuser.query<{ action: string }>(
          `select action from audit_log where customer_id = $1 and action like 'status.%' order by created_at`,
          [customer.id],
        )
      ).rows.map(({ action }) => action);
    return { id: (JSON.parse(stdout) as Event).id, seen, audited };
  }

  it('runs from its announcement until it is ended', async () => {
    const { id, seen } = await announce();
    expect(await seen()).toMatchObject({
      status: 'outage',
      event: { id, message: 'Down', running: true, ends_at: null },
    });
    expect((await operator('end', '--event', id)).code).toBe(0);
    expect(await seen()).toMatchObject({
      status: 'operational',
      event: { id, running: false, ends_at: expect.any(String) },
    });
  });

  it('is over at the very moment of its end, in what is told of it, too', async () => {
    const begin = Date.now();
    await setDatabaseClock(api.superuser, { standsAt: new Date(begin) });
    const { id, seen } = await announce();
    await setDatabaseClock(api.superuser, { standsAt: new Date(begin + 60_000) });
    expect((await operator('end', '--event', id)).code).toBe(0);
    expect(await seen()).toMatchObject({ status: 'operational', event: { id, running: false } });
    expect(await operator('end', '--event', id)).toMatchObject({ code: 4, stdout: '' });
    const { rows } = await api.superuser.query<{ record: object }>(
      `select record from event where type = 'service.status_changed' and record->'events'->0->>'id' = $1 order by created_at`,
      [id],
    );
    await setDatabaseClock(api.superuser, 'right');
    expect(rows.map(({ record }) => record)).toMatchObject([
      { status: 'outage', events: [{ id, running: true }] },
      { status: 'operational', events: [{ id, running: false }] },
    ]);
  });

  it('is told with its service as GET /status shows it: the worst in progress, those first, and twenty events', async () => {
    const { customer, call } = await createCaller(api);
    const { id: service } = await saveFakeService(api.superuser, customer.id);
    const save = (status: string, minutesAgo: number, lasted: number | null = null) =>
      api.superuser.query(
        `insert into status_event (customer_id, id, service_id, status, message, starts_at, ends_at, begin_told)
         values ($1, gen_random_uuid(), $2, $3, 'Down', now() - make_interval(mins => $4), now() - make_interval(mins => $4 - $5), $6)`,
        [customer.id, service, status, minutesAgo, lasted, status !== 'maintenance'],
      );
    for (let count = 1; count <= 22; count++) await save('outage', count, 1);
    await save('degraded', 90);
    await save('outage', 80);
    await save('maintenance', 70);
    await api.superuser.query('select app.announce_begun_status_events($1)', [customer.id]);
    const data = async (path: string) => ((await (await call(path)).json()) as { data: { data?: object }[] }).data;
    const [shown] = (await data('/status')) as { status: string; events: Event[] }[];
    expect(shown).toMatchObject({ status: 'outage', events: { length: 20 } });
    expect(shown?.events.map(({ running }) => running).lastIndexOf(true)).toBe(2);
    expect(await data('/events')).toMatchObject([{ data: shown }]);
  });

  it('is ended once: its end does not move, and the log has one entry', async () => {
    const { id, seen, audited } = await announce();
    await operator('end', '--event', id);
    const { event } = await seen();
    const again = await operator('end', '--event', id);
    expect(again).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('ended already') });
    expect((await seen()).event).toEqual(event);
    expect(await audited()).toEqual(['status.post', 'status.end']);
  });

  it('is not told to have ended where nobody was told that it had begun', async () => {
    const { id, seen } = await announce();
    const told = async () => {
      const { rows } = await api.superuser.query(
        `select from event where type = 'service.status_changed' and record->'events'->0->>'id' = $1`,
        [id],
      );
      return rows.length;
    };
    expect(await told()).toBe(1);
    await api.superuser.query('update status_event set begin_told = false where id = $1', [id]);
    expect((await operator('end', '--event', id)).code).toBe(0);
    expect((await seen()).status).toBe('operational');
    expect(await told()).toBe(1);
  });

  it('is told to have ended although the clock, which was ahead when its begin was told, says that it has not begun', async () => {
    await setDatabaseClock(api.superuser, { aheadBy: '1 hour' });
    const { id, seen } = await announce();
    await setDatabaseClock(api.superuser, 'right');
    expect((await operator('end', '--event', id)).code).toBe(0);
    expect((await seen()).status).toBe('operational');
    const { rows } = await api.superuser.query(
      `select record->>'status' as status from event
       where type = 'service.status_changed' and record->'events'->0->>'id' = $1 order by id`,
      [id],
    );
    expect(rows.map(({ status }: { status: string }) => status).sort()).toEqual(['operational', 'outage']);
  });

  it('is told to have ended where its begin is being told at the same time; ended twice at once, once', async () => {
    const { id, audited } = await announce();
    const told = async () => {
      const { rows } = await api.superuser.query(
        `select from event e join status_event s on s.customer_id = e.customer_id
         where s.id = $1 and e.type = 'service.status_changed'`,
        [id],
      );
      return rows.length;
    };
    expect(await told()).toBe(1);
    await api.superuser.query('update status_event set begin_told = false where id = $1', [id]);
    const worker = await connectAsSuperuser(api.database);
    await worker.query('begin');
    await worker.query('update status_event set begin_told = true where id = $1', [id]);
    const words = ['status', 'end', '--event', id, '--json'];
    const ends = [operatorProcess(api.database, words), operatorProcess(api.database, words)];
    await waitForLocks(api.superuser, 2);
    await worker.query('commit');
    await worker.end();
    expect((await Promise.all(ends)).map(({ code }) => code).sort()).toEqual([0, 4]);
    expect(await told()).toBe(2);
    expect(await audited()).toEqual(['status.post', 'status.end']);
  });

  it('is told to have begun once, also while another one of its customer is posted', async () => {
    const { customer, call } = await createCaller(api);
    const service = await saveFakeService(api.superuser, customer.id);
    await api.superuser.query(
      `insert into status_event (customer_id, id, service_id, status, message, starts_at, begin_told)
       values ($1, gen_random_uuid(), $2, 'degraded', 'Slow', now() - interval '1 minute', false)`,
      [customer.id, service.id],
    );
    const worker = await connectAsSuperuser(api.database);
    await worker.query('begin');
    await worker.query('select app.announce_begun_status_events($1)', [customer.id]);
    const posted = operator('post', '--service', String(service.id), '--status', 'outage', '--message', 'Down');
    await waitForLocks(api.superuser, 1);
    await worker.query('commit');
    await worker.end();
    expect((await posted).code).toBe(0);
    const { data } = (await (await call('/events')).json()) as { data: { data: { status: string } }[] };
    expect(data.map(({ data: { status } }) => status).sort()).toEqual(['degraded', 'outage']);
  });

  it('that has not begun is called off: it never runs', async () => {
    const startsAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, seen } = await announce('--starts-at', startsAt);
    expect(await seen()).toMatchObject({ status: 'operational', event: { running: false, ends_at: null } });
    expect((await operator('end', '--event', id)).code).toBe(0);
    const { status, event } = await seen();
    expect({ status, running: event?.running }).toEqual({ status: 'operational', running: false });
    expect(Date.parse(event?.ends_at ?? '')).toBe(Date.parse(startsAt));
  });

  it('needs a message and a service that is there', async () => {
    const { id } = await announce();
    const post = (service: string, message: string) =>
      operator('post', '--service', service, '--status', 'outage', '--message', message);
    expect(await post('999999', 'Down')).toMatchObject({ code: 3, stderr: expect.stringContaining('999999') });
    const { rows } = await api.superuser.query<{ service_id: number }>(
      'select service_id from status_event where id = $1',
      [id],
    );
    const blank = await post(String(rows[0]?.service_id), '  ');
    expect(blank).toMatchObject({ code: 4, stderr: expect.stringContaining('message') });
    expect(await operator('end', '--event', '6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a11')).toMatchObject({ code: 3 });
  });
});
