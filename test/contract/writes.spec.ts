import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { EntityWritesService } from '@platform/database';
import { useTestDatabase } from '@test/use-test-database';
import { AppModule } from '../../apps/customer-api/src/app.module';

const database = useTestDatabase();

interface Parameter {
  name: string;
  type: string;
}

describe('the writes of the customer API', () => {
  let writes: EntityWritesService;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule.with(database.config)] }).compile();
    const app = module.createNestApplication(new FastifyAdapter(), { logger: false });
    writes = app.get(EntityWritesService);
    close = () => app.close();
  });
  afterAll(() => close());

  it('call functions with the names and types of all their parameters', async () => {
    const { rows } = await database.superuser.query<{ name: string; parameters: Parameter[] }>(`
      select p.oid::regproc::text as name, coalesce(json_agg(
        json_build_object('name', p.proargnames[i.place], 'type', format_type(p.proargtypes[i.place - 1], null)) order by i.place), '[]')
        as parameters
      from pg_proc p cross join lateral generate_series(1, p.pronargs) as i (place)
      where p.pronamespace = 'app'::regnamespace group by p.oid`);
    const catalogue = new Map(rows.map(({ name, parameters }) => [name, parameters]));
    expect(writes.functions.length).toBeGreaterThan(5);
    const byName = ({ parameters }: { parameters: readonly Parameter[] }) =>
      [...parameters].sort((one, other) => one.name.localeCompare(other.name));
    for (const called of writes.functions)
      expect({ name: called.name, parameters: byName(called) }).toEqual({
        name: called.name,
        parameters: byName({ parameters: catalogue.get(called.name) ?? [] }),
      });
  });

  it('are statements that the database takes, and each names its customer', async () => {
    for (const { name, text } of writes.defined) {
      await database.superuser.query(`prepare "${name}" as ${text}`);
      expect({ name, customer: /p_customer => \$1\b|"customer_id"/.test(text) && text.includes('$1') }).toEqual({
        name,
        customer: true,
      });
    }
  });
});
