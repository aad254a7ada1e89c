import { CustomerProfileService } from '@domains/customers';
import { AiLedgerEntriesService, AiReceiptsService, AiUsageSummaryService } from '@domains/ai';
import { CustomerContextService } from '@platform/context';
import { EventsService } from '@domains/events';
import { ServicesService } from '@domains/services';
import { SmsLogService } from '@domains/sms';
import { ServiceStatusService } from '@domains/status';
import { TicketsService } from '@domains/support';
import { anyRow, customerOwnedTables, leaveRowLevelSecurityAlone } from '@test/any-row';
import { createCaller, startApi, type TestApi } from '@test/api';
import { takeViolations } from '@test/conformance/violations';
import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { declaredRoutes } from '@test/nest-routes';
import { setConnectionsTo, withoutRowLevelSecurity } from '@test/without-row-level-security';

/**
 * The second isolation layer by itself: row level security is off, and the connection is set to another customer, as if the first
 * had let the wrong one through. What is asked for by name is still all that is found.
 */
describe('queries name the customer', () => {
  let api: TestApi;
  let me: Awaited<ReturnType<typeof createCaller>>;
  let other: Awaited<ReturnType<typeof createCaller>>;
  beforeAll(async () => {
    api = await startApi();
    [me, other] = await Promise.all([createCaller(api), createCaller(api)]);
    const tables = (await customerOwnedTables(api.superuser)).filter(
      (table) => !/^(customer|service_token(_use)?)$/.test(table),
    );
    await leaveRowLevelSecurityAlone(api.superuser, tables);
    for (const { customer } of [me, other]) {
      for (const table of tables) await api.superuser.query(...(await anyRow(api.superuser, table, customer.id)));
      await saveFakeUsage(api.superuser, customer.id, {
        tokenId: customer === me.customer ? me.token.id : other.token.id,
      });
      const service = await saveFakeService(api.superuser, customer.id, { name: `service of ${customer.id}` });
      await api.superuser.query(
        `insert into status_event (customer_id, id, service_id, status, message, starts_at)
         values ($1, gen_random_uuid(), $2, 'outage', $3, now())`,
        [customer.id, service.id, `event of ${customer.id}`],
      );
    }
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => api.stop());

  it("so that every list is the same with and without row level security: nothing of another customer's", async () => {
    const paths = declaredRoutes(api.app, 'api/v1')
      .filter(({ route, access }) => route.startsWith('GET ') && !route.includes(':') && access !== 'public')
      .map(({ route }) => route.slice('GET /api/v1'.length))
      // Has the customer's model, which a row with any values is none of; GET /ai reads the same settings.
      .filter((path) => path !== '/ai/v1/models');
    expect(paths.length).toBeGreaterThanOrEqual(5);
    const read = async (path: string) => {
      const reply = await me.call(path);
      return [path, reply.status, await reply.text()] as const;
    };
    const readAll = () => Promise.all(paths.map(read));
    const secured = await readAll();
    await withoutRowLevelSecurity(api.superuser);
    expect(await readAll()).toEqual(secured);
    // They are not equal merely because they failed or were empty.
    expect(secured.filter(([, status, body]) => status !== 200 || body.includes('"data":[]'))).toEqual([]);
    // The rows bypassed all checks, so the values violate openapi.json.
    takeViolations();
  });

  it("so that a connection set to another customer still finds one's own", async () => {
    await withoutRowLevelSecurity(api.superuser);
    const page = { limit: 200 };
    const mine = me.customer.id;
    setConnectionsTo(api.app, other.customer.id);
    const found = await api.app.get(CustomerContextService).run(mine, async () => ({
      profile: await api.app.get(CustomerProfileService, { strict: false }).find(),
      services: (await api.app.get(ServicesService, { strict: false }).list(page)).items,
      status: (await api.app.get(ServiceStatusService, { strict: false }).list(page)).items,
      tickets: (await api.app.get(TicketsService, { strict: false }).list(page)).items,
      messages: (await api.app.get(SmsLogService, { strict: false }).list(page)).items,
      receipts: (await api.app.get(AiReceiptsService, { strict: false }).list({}, page)).items,
      receiptsOfModel: (await api.app.get(AiReceiptsService, { strict: false }).list({ model: 'model' }, page)).items,
      sums: (
        await api.app.get(AiUsageSummaryService, { strict: false }).list({ groupBy: 'day', from: '2026-01-01' }, page)
      ).page.items,
      events: (await api.app.get(EventsService, { strict: false }).list({ limit: 200 })).events,
      entries: (await api.app.get(AiLedgerEntriesService, { strict: false }).list({}, page)).items,
    }));
    expect(found.profile.id).toBe(mine);
    expect([found.services.length, found.status.length]).toEqual([2, 2]);
    expect([found.tickets.length, found.messages.length]).toEqual([1, 1]);
    expect([found.receipts.length, found.receiptsOfModel.length]).toEqual([2, 1]);
    expect(found.events.length).toBe(1);
    expect([found.sums.length, found.entries.length]).toEqual([2, 1]);
    const everything = JSON.stringify(found);
    expect(everything).toContain(`service of ${mine}`);
    expect(everything).not.toContain(other.customer.id);
  });
});
