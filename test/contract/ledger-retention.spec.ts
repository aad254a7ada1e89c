import { LedgerRetentionService } from '@domains/ai';
import { PartitionsService } from '@platform/database';
import { saveAiCustomer } from '@test/ai-factories';
import { countBackends } from '@test/backends';
import { createLedgerFixture, type LedgerFixture, request, usage } from '@test/ledger.fixture';
import { createPartition, holdLock, waitForLocks } from '@test/locks';
import { until } from '@test/until';

/** Noon of the tenth, and the turn of the month within one call's time. */
const MONTHS = ['2027-01', '2027-02', '2027-03', '2027-04'];

describe('Months of the ledger that are dropped', () => {
  let fixture: LedgerFixture;
  let customerId: string;
  let other: string;
  /** Its last entry is one of January. */
  let idle: string;

  beforeAll(async () => {
    fixture = await createLedgerFixture();
    await fixture.setTime(`${MONTHS[0]}-01T12:00:00Z`);
    customerId = await saveAiCustomer(fixture.superuser, { model: fixture.model, included: 1, purchased: 100 });
    other = await saveAiCustomer(fixture.superuser, { model: fixture.model, included: 1 });
    idle = await saveAiCustomer(fixture.superuser, { model: fixture.model, purchased: 3 });
    for (const table of ['ai_usage', 'ai_ledger_entry'])
      for (const month of MONTHS) await createPartition(fixture.superuser, table, `${month}-01`);
    for (const month of MONTHS) {
      for (const at of ['10T12:00:00Z', '10T12:00:01Z']) await call(`${month}-${at}`);
      // Calls that are the included credit's and the purchased's, so both buckets have entries in every month.
      await call(`${month}-10T12:00:02Z`, 200);
    }
  });
  afterAll(() => fixture.close());

  async function call(time: string, output = 20): Promise<void> {
    await fixture.setTime(time);
    const ledger = fixture.ledger();
    const reserved = await ledger.reserve(request(customerId, { maxTokens: output }));
    if (reserved.outcome !== 'reserved') throw new Error(reserved.outcome);
    const { reservationId } = reserved;
    await ledger.settle({ customerId, reservationId, usage: usage({ output }), upstreamId: 'x' });
  }

  const carry = (before: string, signal?: AbortSignal) =>
    fixture.operator.get(LedgerRetentionService).carryForward(new Date(before), signal);
  const drop = (table: string, month: string) => fixture.operator.get(PartitionsService).drop(table, `${month}-01`);
  const rollOver = async (month: string, ...customers: string[]) => {
    for (const id of customers)
      await fixture.superuser.query('select app.ai_roll_over($1, $2, app.now())', [id, month]);
  };
  const entries = async () =>
    (
      await fixture.superuser.query<{ n: number }>(
        'select count(*)::int as n from ai_ledger_entry where customer_id = $1',
        [customerId],
      )
    ).rows[0]!.n;

  it('were right before', async () => {
    expect(await fixture.problems()).toEqual([]);
    expect(await fixture.operator.get(PartitionsService).strayRows('ai_ledger_entry')).toBe(0);
  });

  it('are carried forward only for accounts whose month is past them', async () => {
    // The other accounts have had no call since January; the worker's roll-over is what moves them on.
    expect(await carry('2027-02-01T00:00:00Z')).toBe(false);
    const { rows } = await fixture.superuser.query('select distinct customer_id from ai_ledger_carried');
    expect(rows).toEqual([{ customer_id: customerId }]);
    await rollOver('2027-02', other, idle);
    // By UTC the first hour of its February was in January.
    expect(await carry('2027-02-01T00:00:00Z')).toBe(false);
    await rollOver('2027-04', other, idle);
    // A worker that stops has not come to all accounts: nothing may be dropped.
    expect(await carry('2027-02-01T00:00:00Z', AbortSignal.abort())).toBe(false);
    expect(await carry('2027-02-01T00:00:00Z')).toBe(true);
    expect(await fixture.problems()).toEqual([]);
  });

  it('are carried forward once, also if an earlier month was carried and is still there', async () => {
    expect(await carry('2027-03-01T00:00:00Z')).toBe(true);
    expect(await fixture.problems()).toEqual([]);
  });

  it('leave one balance per customer and bucket, and accounts that add up', async () => {
    const before = await entries();
    expect(await drop('ai_ledger_entry', '2027-01')).toBe(true);
    expect(await entries()).toBeLessThan(before);
    const { rows } = await fixture.superuser.query(
      `select bucket, sequence::int from ai_ledger_carried where customer_id = $1 order by bucket`,
      [customerId],
    );
    expect(rows).toEqual([
      { bucket: 'included', sequence: expect.any(Number) },
      { bucket: 'purchased', sequence: expect.any(Number) },
    ]);
    expect(await fixture.problems()).toEqual([]);
  });

  it('are missed where they were not carried forward', async () => {
    const { rows } = await fixture.superuser.query<Record<string, string>>(
      'delete from ai_ledger_entry where customer_id = $1 and month = $2 returning *',
      [customerId, '2027-03'],
    );
    try {
      expect((await fixture.problems()).map(({ problem }) => problem)).toContain(
        'the entry count is not the number of entries',
      );
    } finally {
      for (const row of rows)
        await fixture.superuser.query(
          'insert into ai_ledger_entry select * from json_populate_record(null::ai_ledger_entry, $1)',
          [JSON.stringify(row)],
        );
    }
    expect(await fixture.problems()).toEqual([]);
  });

  it('may be carried forward again and again, and dropped one after another', async () => {
    for (const [month, before] of [
      ['2027-02', '2027-03-01T00:00:00Z'],
      ['2027-02', '2027-03-01T00:00:00Z'],
    ] as const) {
      expect(await carry(before)).toBe(true);
      await drop('ai_ledger_entry', month);
      expect(await fixture.problems()).toEqual([]);
    }
  });

  it('may be kept when their usage is dropped', async () => {
    // As the worker does, the oldest first: what is missing then is what is older than all that is kept.
    for (const month of await fixture.operator.get(PartitionsService).expired('ai_usage', 3))
      await drop('ai_usage', month.slice(0, 7));
    expect(await drop('ai_usage', '2027-01')).toBe(true);
    expect(await drop('ai_usage', '2027-02')).toBe(true);
    expect(await fixture.problems()).toEqual([]);
  });

  it('do not hide a balance that was changed', async () => {
    await fixture.superuser.query('update ai_account set purchased = purchased + 1 where customer_id = $1', [
      customerId,
    ]);
    expect((await fixture.problems()).map(({ problem }) => problem)).toEqual([
      'purchased credit is not the sum of its ledger entries',
    ]);
    await fixture.superuser.query('update ai_account set purchased = purchased - 1 where customer_id = $1', [
      customerId,
    ]);
    await call('2027-04-20T12:00:00Z');
    expect(await fixture.problems()).toEqual([]);
  });

  it('have a sequence that stays without gaps and doubles, though no key enforces it any more', async () => {
    await Promise.all(Array.from({ length: 40 }, () => call('2027-04-21T12:00:00Z')));
    const { rows } = await fixture.superuser.query(
      `select count(*)::int as entries, count(distinct sequence)::int as numbers, max(sequence)::int - min(sequence)::int + 1 as span
       from ai_ledger_entry where customer_id = $1`,
      [customerId],
    );
    expect(rows).toEqual([{ entries: rows[0].numbers, numbers: rows[0].numbers, span: rows[0].numbers }]);
    expect(await fixture.problems()).toEqual([]);
  });

  it('are carried forward for a customer whose every entry was dropped before', async () => {
    await fixture.setTime('2027-05-01T12:00:00Z');
    await rollOver('2027-05', customerId, other, idle);
    const { rowCount } = await fixture.superuser.query('select from ai_ledger_entry where customer_id = $1', [idle]);
    expect(rowCount).toBe(0);
    expect(await carry('2027-04-01T00:00:00Z')).toBe(true);
    expect(await fixture.problems()).toEqual([]);
  });

  it('are dropped as soon as nobody uses the table, though the first attempt gave up', async () => {
    await createPartition(fixture.superuser, 'ai_usage', '2020-01-01');
    const release = await holdLock(fixture.database, 'lock table ai_usage in access share mode');
    const dropped = expect(drop('ai_usage', '2020-01')).resolves.toBe(true);
    await waitForLocks(fixture.superuser, 1);
    await until(async () => (await countBackends(fixture.superuser, `wait_event_type = 'Lock'`)) === 0);
    await release();
    await dropped;
  });
});
