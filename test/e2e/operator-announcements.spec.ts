import { randomUUID } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { setDatabaseClock } from '@test/database-clock';
import { waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';

jest.setTimeout(240_000);
const database = useTestDatabase();

describe('An event of all services of a type', () => {
  const run = (...words: string[]) => operatorCommand(database, ['status', ...words, '--json']);
  const post = (type: string, ...more: string[]) =>
    run('post', '--type', type, '--status', 'outage', '--message', 'Down', ...more);
  const events = async () =>
    (
      await database.superuser.query<{ type: string; ended: boolean }>(
        `select s.type, e.ends_at is not null as ended from status_event e
         join customer_service s on s.customer_id = e.customer_id and s.id = e.service_id order by s.id`,
      )
    ).rows;

  beforeAll(async () => {
    // Former releases stored types in the letters that they were given in.
    for (const services of [['sms', 'hosting', 'sms'], ['SMS'], ['sms:terminated']]) {
      const { id } = await saveFakeCustomer(database.superuser);
      for (const [type, status = 'active'] of services.map((service) => service.split(':')))
        await database.superuser.query(
          `insert into customer_service (customer_id, type, name, status) values ($1, $2, $2, $3)`,
          [id, type, status],
        );
    }
  });

  it('is posted and ended by one command each, and audited', async () => {
    const { code, stdout } = await post('Sms', '--as', 'kari');
    const announced = JSON.parse(stdout) as { announcement_id: string; services: number };
    expect({ code, announced }).toMatchObject({ code: 0, announced: { services: 3 } });
    const open = { type: 'sms', ended: false };
    expect(await events()).toEqual([open, open, { ...open, type: 'SMS' }]);
    const listed = await run('list', '--present');
    expect(JSON.parse(listed.stdout)).toHaveLength(3);
    const end = () => run('end', '--announcement', announced.announcement_id);
    expect(JSON.parse((await end()).stdout)).toEqual(announced);
    expect((await events()).map(({ ended }) => ended)).toEqual([true, true, true]);
    expect(await end()).toMatchObject({ code: 3 });
    expect(JSON.parse((await run('list', '--present')).stdout)).toEqual([]);
    const { rows } = await database.superuser.query(
      `select actor, metadata ->> 'services' as services from audit_log where action like 'status.%' order by created_at`,
    );
    expect(rows).toEqual([
      { actor: 'operator:kari', services: '3' },
      { actor: expect.any(String), services: '3' },
    ]);
  });

  it('is ended while the worker tells of its begins: neither waits for what the other has', async () => {
    const [announcement, customer] = [randomUUID(), (await saveFakeCustomer(database.superuser)).id];
    // The order of the rows is not that of their ids.
    for (const id of ['b0000000-0000-4000-8000-000000000000', 'a0000000-0000-4000-8000-000000000000'])
      await database.superuser.query(
        `with service as (insert into customer_service (customer_id, type, name) values ($1, 'vpn', 'VPN') returning id)
         insert into status_event (customer_id, id, service_id, announcement_id, status, message, starts_at)
         select $1, $2, id, $3, 'outage', 'Down', '2026-01-01' from service`,
        [customer, id, announcement],
      );
    const worker = await connectAsSuperuser(database);
    const lock = (letter: string) =>
      worker.query(`select from status_event where customer_id = $1 and id::text like $2 for no key update`, [
        customer,
        `${letter}%`,
      ]);
    await worker.query('begin');
    await lock('a');
    const ended = run('end', '--announcement', announcement);
    await waitForLocks(database.superuser, 1);
    await lock('b');
    await worker.query('commit');
    await worker.end();
    expect(await ended).toMatchObject({ code: 0 });
    await database.superuser.query('delete from status_event where customer_id = $1', [customer]);
  });

  it('that has not begun is called off, and nobody is told of its end', async () => {
    const told = async () =>
      (await database.superuser.query(`select from event where type = 'service.status_changed'`)).rows.length;
    const before = await told();
    const { stdout } = await post('hosting', '--starts-at', '2099-01-01T00:00:00Z');
    const { announcement_id } = JSON.parse(stdout) as { announcement_id: string };
    await run('end', '--announcement', announcement_id);
    expect(await told()).toBe(before);
    const { rows } = await database.superuser.query(
      'select ends_at = starts_at as "calledOff" from status_event where announcement_id = $1',
      [announcement_id],
    );
    expect(rows).toEqual([{ calledOff: true }]);
  });

  it('is told to have ended although the clock, which was ahead when its begin was told, says that it has not begun', async () => {
    const told = async () =>
      (await database.superuser.query(`select from event where type = 'service.status_changed'`)).rows.length;
    await setDatabaseClock(database.superuser, { aheadBy: '1 hour' });
    const { stdout } = await post('hosting');
    await setDatabaseClock(database.superuser, 'right');
    const begun = await told();
    const { announcement_id, services } = JSON.parse(stdout) as { announcement_id: string; services: number };
    await run('end', '--announcement', announcement_id);
    expect(await told()).toBe(begun + services);
  });

  it('needs a service of the type, and a type or a service', async () => {
    expect(await post('sm_')).toMatchObject({ code: 3, stderr: expect.stringContaining('sm_') });
    expect(await post('sms', '--service', '1')).toMatchObject({ code: 2 });
    expect(await run('end')).toMatchObject({ code: 2 });
    expect(await run('end', '--announcement', randomUUID())).toMatchObject({ code: 3 });
  });
});
