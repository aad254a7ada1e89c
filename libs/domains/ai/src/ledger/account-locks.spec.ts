import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { saveAiCustomer } from '@test/ai-factories';
import { createLedgerFixture, type LedgerFixture, LEDGER_NAMES } from '@test/ledger.fixture';
import { LedgerFunctions, units } from '@test/ledger-functions';
import { waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';

/** What changes an account, each about the same call of it. A call reserves 0.1 NOK. */
const CHANGES = {
  'reserves another call': (ledger: LedgerFunctions) => ledger.reserve([call(randomUUID())]),
  'settles the call': (ledger: LedgerFunctions, id: string) =>
    ledger.settle([{ owner: 0, id, tokens: { input: 0, write5m: 0, write1h: 0, read: 0, output: 10 } }]),
  'releases the call': (ledger: LedgerFunctions, id: string) => ledger.release([{ owner: 0, id }], 'outcome_unknown'),
  'turns the month': (ledger: LedgerFunctions) => ledger.turn(0),
  'takes credit': (ledger: LedgerFunctions) => ledger.adjust(0, units('-0.08')),
  'grants a raise': (ledger: LedgerFunctions) => ledger.include(0, units('0.2')),
} as const;
type Name = keyof typeof CHANGES;
const NAMES = Object.keys(CHANGES) as Name[];

function call(id: string) {
  return { owner: 0, id, input: 0, cache: 'none' as const, max: 20, least: 20, mayShorten: true };
}

describe.each(LEDGER_NAMES)('Two that change an account at once, %s', (way) => {
  let fixture: LedgerFixture;
  let clients: [Client, Client];
  beforeAll(async () => {
    fixture = await createLedgerFixture({}, way);
    clients = [await connectAsSuperuser(fixture.database), await connectAsSuperuser(fixture.database)];
    await fixture.setTime('2026-11-15T12:00:00Z');
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await fixture.close();
  });

  const ledgerOf = (client: Client, customerId: string) => new LedgerFunctions(client, [customerId], 3_600_000, way);

  /** A customer with credit for two calls, from both sides, one of which is reserved. */
  const prepare = async (month: string) => {
    const credit = { included: 0.12, purchased: 0.13 };
    const customerId = await saveAiCustomer(fixture.superuser, { model: fixture.model, month, ...credit });
    const reserved = call(randomUUID());
    await ledgerOf(fixture.superuser, customerId).reserve([reserved]);
    return { customerId, id: reserved.id };
  };

  const stateOf = async (customerId: string) => {
    const accounts = await ledgerOf(fixture.superuser, customerId).accounts();
    const entries = await fixture.entries(customerId);
    const { rows: reservations } = await fixture.superuser.query(
      'select state, amount from ai_reservation where customer_id = $1 order by state',
      [customerId],
    );
    expect(await fixture.problems(customerId)).toEqual([]);
    return { accounts, entries, reservations };
  };

  type Prepared = Awaited<ReturnType<typeof prepare>>;

  const inTurn = async ({ customerId, id }: Prepared, first: Name, second: Name) => {
    const ledger = ledgerOf(clients[0], customerId);
    const results = [await CHANGES[first](ledger, id), await CHANGES[second](ledger, id)];
    return { results, ...(await stateOf(customerId)) };
  };

  const atOnce = async ({ customerId, id }: Prepared, first: Name, second: Name) => {
    await clients[0].query('begin');
    const result = await CHANGES[first](ledgerOf(clients[0], customerId), id);
    const later = CHANGES[second](ledgerOf(clients[1], customerId), id);
    await waitForLocks(fixture.superuser, 1);
    await clients[0].query('commit');
    const results = [result, await later];
    return { results, ...(await stateOf(customerId)) };
  };

  describe.each([
    { month: '2026-11', changes: NAMES.filter((name) => name !== 'turns the month') },
    { month: '2026-10', changes: NAMES },
  ])('in an account of $month', ({ month, changes }) => {
    const pairs = changes.flatMap((first) => changes.map((second) => ({ first, second })));
    const prepared: Prepared[] = [];
    beforeAll(async () => {
      await fixture.setTime(`${month}-15T12:00:00Z`);
      while (prepared.length < 2 * pairs.length) prepared.push(await prepare(month));
      await fixture.setTime('2026-11-15T12:00:00Z');
    });

    it.each(pairs)('one $first, then one $second: as if in turn', async ({ first, second }) => {
      const [some, others] = prepared.splice(-2) as [Prepared, Prepared];
      expect(await atOnce(some, first, second)).toEqual(await inTurn(others, first, second));
    });
  });
});
