import { randomUUID } from 'node:crypto';
import { itOnOneServer } from '@test/kinds-of-server';
import { createApiLogin, connectAsSuperuser } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';
import { setDatabaseClock } from '@test/database-clock';

const CUSTOMER = randomUUID();

const database = useTestDatabase();

describe('the partitions of a table', () => {
  afterEach(() => setDatabaseClock(database.superuser, 'right'));

  const values = async <T>(sql: string, given: unknown[] = []) =>
    (await database.superuser.query<{ value: T }>(sql, given)).rows.map(({ value }) => value);
  const create = async (month: string) =>
    (await values<boolean>(`select app.create_partition('audit_log', $1) as value`, [month]))[0];
  const drop = async (month: string) =>
    (await values<boolean>(`select app.drop_partition('audit_log', $1) as value`, [month]))[0];
  const record = (time: string) =>
    database.superuser.query(
      `insert into audit_log (customer_id, id, actor, action, created_at) values ($1, app.first_id($2), 'x', 'x', $2)`,
      [CUSTOMER, time],
    );
  /** The partition of each row, in the order of the ids. On a cluster without the number of its shard. */
  const places = async (condition = 'customer_id = $1', given: unknown[] = [CUSTOMER]) =>
    (
      await values<string>(
        `select tableoid::regclass::text as value from audit_log where ${condition} order by id`,
        given,
      )
    ).map((name) => name.replace(/_\d{6,}$/, ''));

  it('are there for the present month and three more', async () => {
    expect(
      await values(`select count(*)::int as value from pg_inherits where inhparent = 'audit_log'::regclass`),
    ).toEqual([5]);
    await database.superuser.query(
      `insert into audit_log (customer_id, actor, action) values ('${randomUUID()}', 'now', 'x')`,
    );
    expect(await places(`actor = 'now'`, [])).toEqual(
      await values(`select to_char(now() at time zone 'UTC', '"partitions.audit_log_"YYYY_MM') as value`),
    );
  });

  it('are whole months in UTC', async () => {
    expect(await create('2031-02-17')).toBe(true);
    for (const time of [
      '2031-01-31T23:59:59.999999Z',
      '2031-02-01T00:00:00Z',
      '2031-02-28T23:59:59.999999Z',
      '2031-03-01T00:00:00Z',
    ])
      await record(time);
    expect(await places()).toEqual([
      'partitions.audit_log_default',
      'partitions.audit_log_2031_02',
      'partitions.audit_log_2031_02',
      'partitions.audit_log_default',
    ]);
  });

  it('take over the rows that the default partition has of their month', async () => {
    expect(await create('2031-03-01')).toBe(true);
    expect((await places()).slice(2)).toEqual(['partitions.audit_log_2031_02', 'partitions.audit_log_2031_03']);
    await record('2031-03-05T00:00:00Z');
    expect((await places()).at(-1)).toBe('partitions.audit_log_2031_03');
  });

  itOnOneServer('are made by an owner who is no superuser, too', 'there the owner is one', async () => {
    await record('2032-05-01T00:00:00Z');
    await database.superuser.query(`
      create role plain_${database.url.slice(-12)};
      grant create, usage on schema partitions, public, app to plain_${database.url.slice(-12)}`);
    const owner = `plain_${database.url.slice(-12)}`;
    await database.superuser.query('begin');
    try {
      for (const table of ['audit_log', 'partitions.audit_log_default'])
        await database.superuser.query(`alter table ${table} owner to ${owner}`);
      for (const name of ['new_id', 'first_id', 'now', 'secure_partition'])
        await database.superuser.query(`grant execute on function app.${name} to ${owner}`);
      await database.superuser.query(`alter function app.create_partition owner to ${owner}`);
      expect(await create('2032-05-01')).toBe(true);
      expect((await places()).at(-1)).toBe('partitions.audit_log_2032_05');
    } finally {
      await database.superuser.query('rollback');
      await database.superuser.query(`drop owned by ${owner}; drop role ${owner}`);
    }
    await database.superuser.query(`delete from audit_log where created_at = '2032-05-01T00:00:00Z'`);
  });

  it('are made once', async () => {
    expect(await create('2031-02-01')).toBe(false);
  });

  it('that are made later force row level security, too', async () => {
    const [open] = await values<boolean>(
      `select relrowsecurity and relforcerowsecurity as value from pg_class where relname = 'audit_log_2031_02'`,
    );
    expect(open).toBe(true);
    expect(
      await values(`select policyname as value from pg_policies where tablename = 'audit_log_2031_02' order by 1`),
    ).toEqual(['every_customer', 'own_customer']);
  });

  it('show another customer’s rows to nobody, named directly, even if a grant was given by mistake', async () => {
    const { Client: Login } = await import('pg');
    const login = new Login({
      connectionString: await createApiLogin(database),
      options: '-c role=customer_api -c citus.propagate_set_commands=local',
    });
    await login.connect();
    try {
      const read = () => login.query('select * from partitions.audit_log_2031_02');
      await expect(read()).rejects.toMatchObject({ code: '42501' });
      await database.superuser.query(`
        grant usage on schema partitions to customer_api; grant select on partitions.audit_log_2031_02 to customer_api`);
      expect((await read()).rows).toEqual([]);
      await login.query(`begin; select app.set_customer('${randomUUID()}')`);
      expect((await read()).rows).toEqual([]);
      await login.query(`select app.set_customer('${CUSTOMER}')`);
      expect((await read()).rows).toHaveLength(2);
    } finally {
      await database.superuser.query(`
        revoke all on partitions.audit_log_2031_02 from customer_api; revoke all on schema partitions from customer_api`);
      await login.end();
    }
  });

  it('are dropped with their rows when their month is long past, and not before', async () => {
    await setDatabaseClock(database.superuser, { standsAt: '2031-03-31T23:59:59Z' });
    await expect(drop('2031-02-01')).rejects.toMatchObject({
      message: 'the month 2031-02 is too recent to be dropped',
    });
    await setDatabaseClock(database.superuser, { standsAt: '2031-04-01T00:00:00Z' });
    expect(await drop('2031-02-01')).toBe(true);
    expect(await places()).toEqual([
      'partitions.audit_log_default',
      'partitions.audit_log_2031_03',
      'partitions.audit_log_2031_03',
    ]);
    expect(await drop('2031-02-01')).toBe(false);
  });

  it.each([`drop_partition('service_token', '2020-01-01')`, `create_partition('no_such', '2020-01-01')`])(
    'are of partitioned tables alone: %s',
    async (call) => {
      const done = database.superuser.query(`select app.${call}`);
      if (call.startsWith('create')) await expect(done).rejects.toMatchObject({ code: '42P01' });
      else expect((await done).rows).toEqual([{ drop_partition: false }]);
    },
  );

  it('wait for nobody longer than 100 ms: they are dropped the next time', async () => {
    await setDatabaseClock(database.superuser, { standsAt: '2031-06-01T00:00:00Z' });
    const reader = await connectAsSuperuser(database);
    await reader.query('begin; select 1 from audit_log limit 1');
    try {
      await expect(drop('2031-03-01')).rejects.toMatchObject({ code: '55P03' });
    } finally {
      await reader.query('rollback');
      await reader.end();
    }
    expect(await drop('2031-03-01')).toBe(true);
    // How long it was is no measure of a busy machine.
    const waits = await values<string>(
      `select proname || ' ' || setting as value from pg_proc, unnest(proconfig) as setting
       where proname in ('create_partition', 'drop_partition') and setting like 'lock_timeout=%' order by 1`,
    );
    expect(waits).toEqual(['create_partition lock_timeout=100ms', 'drop_partition lock_timeout=100ms']);
  });

  it.each(['customer_api', 'account_operator'])('are no business of %s', async (role) => {
    await database.superuser.query(`begin; set local role ${role}`);
    try {
      const direct = database.superuser.query('delete from partitions.audit_log_default');
      await expect(direct).rejects.toMatchObject({ code: '42501' });
    } finally {
      await database.superuser.query('rollback');
    }
  });
});
