import { Test } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { itOnOneServer } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';
import { DatabaseModule, PipelinedConnectionsService, prepared } from '../index';

const CUSTOMERS = prepared('test.customers', 'select id from customer where id = $1');
const PLANS = prepared('test.plans', `select generic_plans, custom_plans from pg_prepared_statements where name = $1`);

const database = useTestDatabase({ DATABASE_PIPELINES: '1' });

describe('a statement on a pipelined connection', () => {
  itOnOneServer('is planned once, not for each value', 'a cluster plans by the customer', async () => {
    const module = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api')],
    }).compile();
    const pipeline = module.get(PipelinedConnectionsService);
    for (let run = 0; run < 3; run++) await pipeline.single(CUSTOMERS, ['00000000-0000-0000-0000-000000000000']);
    expect(await pipeline.single(PLANS, [CUSTOMERS.name])).toEqual([{ generic_plans: '3', custom_plans: '0' }]);
    await module.close();
  });
});
