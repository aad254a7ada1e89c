import { CreditRequestsOperatorService, CreditRequestsOperatorModule } from '@domains/credit-requests';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { createAiFixture } from '@test/ai.fixture';

describe('The invoice of an approved credit request', () => {
  it.each([
    // 01:30 of the next day in Oslo, where the next month has begun.
    ['Europe/Oslo', '2026-06-30T23:30:00Z', '2026-07-01', '2026-07-15'],
    ['Europe/Oslo', '2026-11-15T23:30:00Z', '2026-11-16', '2026-11-30'],
    ['UTC', '2026-06-30T23:30:00Z', '2026-06-30', '2026-07-14'],
    ['America/New_York', '2027-01-01T03:30:00Z', '2026-12-31', '2027-01-14'],
    // Daylight saving time ends, and begins, before the due date: still fourteen days.
    ['Europe/Oslo', '2026-10-17T22:30:00Z', '2026-10-18', '2026-11-01'],
    ['Europe/Oslo', '2026-03-20T22:30:00Z', '2026-03-20', '2026-04-03'],
  ])('is dated by %s: approved at %s it is issued on %s and due on %s', async (zone, instant, issued, due) => {
    const fixture = await createAiFixture({ BILLING_TIMEZONE: zone }, 0, { operator: [CreditRequestsOperatorModule] });
    try {
      const model = await saveModelPrice(fixture.superuser);
      const customerId = await saveAiCustomer(fixture.superuser, { model, month: '2026-01' });
      const { rows: requests } = await fixture.superuser.query<{ id: number }>(
        'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 500, now()) returning id',
        [customerId],
      );
      await fixture.setTime(instant);
      await fixture.operator.get(CreditRequestsOperatorService).approve('operator:test', requests[0]!.id);
      const { rows } = await fixture.superuser.query(
        'select issue_date::text as issued, due_date::text as due from invoice where customer_id = $1',
        [customerId],
      );
      expect(rows).toEqual([{ issued, due }]);
    } finally {
      await fixture.close();
    }
  });
});
