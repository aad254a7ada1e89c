import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import { connectAsSuperuser } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';
import { CustomerDatabaseService, DatabaseModule, decoders, readStatement } from './index';

const EVERY_CUSTOMER = readStatement('test.every-customer', 'select id from customer where $1::uuid is not null', {
  id: decoders.text,
});

const testDatabase = useTestDatabase();

describe('CustomerDatabase', () => {
  let module: TestingModule;
  const [mine, theirs] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    const superuser = await connectAsSuperuser(testDatabase);
    for (const [index, id] of [mine, theirs].entries()) {
      await superuser.query(
        `insert into customer (id, name, organization_number, customer_number, email) values ($1, 'Name', '123456785', $2, 'a@example.com')`,
        [id, String(index)],
      );
    }
    await superuser.end();
    module = await Test.createTestingModule({
      imports: [ConfigModule.for(testDatabase.config), DatabaseModule.as('customer_api')],
    }).compile();
  });

  afterAll(async () => {
    await module.close();
  });

  it('shows a statement that names no customer only the rows of the customer in context', async () => {
    const read = () => module.get(CustomerDatabaseService).read(EVERY_CUSTOMER, []);
    const context = module.get(CustomerContextService);
    const [a, b] = await Promise.all([context.run(mine, read), context.run(theirs, read)]);
    expect([a, b]).toEqual([[{ id: mine }], [{ id: theirs }]]);
  });

  it('writes for the customer in context', async () => {
    const open = readStatement(
      'test.open',
      `insert into support_ticket (customer_id, id, title, body) values ($1, gen_random_uuid(), 'a', 'b')`,
      {},
    );
    const database = module.get(CustomerDatabaseService);
    const context = module.get(CustomerContextService);
    for (const id of [mine, theirs]) await context.run(id, () => database.write([{ statement: open, values: [] }]));
    const superuser = await connectAsSuperuser(testDatabase);
    const { rows } = await superuser.query('select customer_id from support_ticket order by created_at');
    await superuser.end();
    expect(rows).toEqual([{ customer_id: mine }, { customer_id: theirs }]);
  });

  it('refuses to work without a customer', async () => {
    await expect(async () => module.get(CustomerDatabaseService).read(EVERY_CUSTOMER, [])).rejects.toThrow(
      'No customer in context',
    );
  });
});
