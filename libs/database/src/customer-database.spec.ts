import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import { ConfigModule } from '@app/config';
import { createTestDatabase, connectAsSuperuser, type TestDatabase } from '@test/test-database';
import { CustomerContext, CustomerDatabase, DatabaseModule, prepared } from './index';

const EVERY_CUSTOMER = prepared('test.every-customer', 'select id from customer');

describe('CustomerDatabase', () => {
  let database: TestDatabase;
  let module: TestingModule;
  const [mine, theirs] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    database = await createTestDatabase();
    const superuser = await connectAsSuperuser(database);
    for (const [index, id] of [mine, theirs].entries()) {
      await superuser.query(
        `insert into customer (id, name, organization_number, customer_number, email) values ($1, 'Name', '123456785', $2, 'a@example.com')`,
        [id, String(index)],
      );
    }
    await superuser.end();
    module = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api')],
    }).compile();
  });

  afterAll(async () => {
    await module.close();
    await database.drop();
  });

  it('shows a statement that names no customer only the rows of the customer in context', async () => {
    const read = () => module.get(CustomerDatabase).read(EVERY_CUSTOMER, []);
    const context = module.get(CustomerContext);
    const [a, b] = await Promise.all([context.run(mine, read), context.run(theirs, read)]);
    expect([a, b]).toEqual([[{ id: mine }], [{ id: theirs }]]);
  });

  it('keeps transactions to the customer in context', async () => {
    const rows = await module
      .get(CustomerContext)
      .run(mine, () => module.get(CustomerDatabase).transaction((manager) => manager.query('select id from customer')));
    expect(rows).toEqual([{ id: mine }]);
  });

  it('refuses to work without a customer', async () => {
    await expect(async () => module.get(CustomerDatabase).read(EVERY_CUSTOMER, [])).rejects.toThrow(
      'No customer in context',
    );
  });
});
