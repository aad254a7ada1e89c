import { Test } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { until } from '@test/until';
import { useTestDatabase } from '@test/use-test-database';
import { DatabaseModule } from '../index';

const POOL = 4;

const database = useTestDatabase({ DATABASE_POOL_SIZE: String(POOL), DATABASE_PIPELINES: '1' });

describe('connections that are kept open', () => {
  const open = async () =>
    (
      await database.superuser.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and application_name like 'customer-account-service %'`,
      )
    ).rows.map(({ pid }) => pid);

  it('are opened at the start, and again when they are lost, before anything needs them', async () => {
    const module = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api', { keepConnections: true })],
    }).compile();
    await module.init();
    await until(async () => (await open()).length > POOL);
    const lost = await open();
    await database.superuser.query('select pg_terminate_backend(pid, 5000) from unnest($1::int[]) pid', [lost]);
    await until(async () => (await open()).filter((pid) => !lost.includes(pid)).length === lost.length);
    await module.close();
    await until(async () => (await open()).length === 0);
  });
});
