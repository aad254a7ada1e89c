import {
  ServiceChangesOperatorModule,
  ServiceChangesOperatorService,
  ServicesOperatorModule,
  ServicesOperatorService,
} from '@domains/services';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiFixture, createAiFixture, problemsOf } from '@test/ai.fixture';
import { holdLock, waitForLocks } from '@test/locks';
import { AiConfigurationOperatorService, AiOperatorModule } from '../index';

const ACTOR = 'operator:test';

describe('Two operators who change the included credit at once', () => {
  let fixture: AiFixture;
  beforeAll(
    async () =>
      (fixture = await createAiFixture({}, 0, {
        operator: [ServicesOperatorModule, ServiceChangesOperatorModule.with(AiOperatorModule)],
      })),
  );
  afterAll(() => fixture.close());

  it.each(['service update first', 'ai configure first'])('do not deadlock: %s', async (order) => {
    const model = await saveModelPrice(fixture.superuser);
    const customerId = await saveAiCustomer(fixture.superuser, { model, included: 10 });
    const [service] = await fixture.operator.get(ServicesOperatorService).list(customerId);
    const services = fixture.operator.get(ServiceChangesOperatorService);
    const update = () => services.update(ACTOR, service!.id, { config: { monthly_included_nok: 20 } });
    const configure = () =>
      fixture.operator.get(AiConfigurationOperatorService).configure(ACTOR, customerId, { includedNok: '30' });
    const changes = order === 'service update first' ? [update, configure] : [configure, update];
    // The second operator's command has taken all locks that it can get when the first goes on.
    const releaseLock = await holdLock(
      fixture.database,
      'select from customer_service where customer_id = $1 for update',
      [customerId],
    );
    const running: Promise<unknown>[] = [];
    for (const change of changes) {
      running.push(change());
      await waitForLocks(fixture.superuser, running.length);
    }
    await releaseLock();
    await Promise.all(running);
    const { rows } = await fixture.superuser.query(
      `select (config ->> 'monthly_included_nok')::int as credit from customer_service where customer_id = $1`,
      [customerId],
    );
    expect(rows).toEqual([{ credit: order === 'service update first' ? 30 : 20 }]);
    expect(await problemsOf(fixture, customerId)).toEqual([]);
  });
});
