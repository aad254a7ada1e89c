import type { Client } from 'pg';
import { saveAiCustomer } from '@test/ai-factories';
import { createLedgerFixture, type LedgerFixture, LEDGER_NAMES, request, usage } from '@test/ledger.fixture';
import { connectAsSuperuser } from '@test/test-database';

/** The load of six replicas on a busy machine on the account of one busy customer: always locked, never for long. */
const OTHERS = 6;
const HELD_MS = 50;

describe.each(LEDGER_NAMES)('A contended account, %s', (name) => {
  let fixture: LedgerFixture;
  let others: Client[];
  beforeAll(async () => {
    fixture = await createLedgerFixture({ DATABASE_STATEMENT_TIMEOUT_MS: '4000' }, name);
    others = await Promise.all(Array.from({ length: OTHERS }, () => connectAsSuperuser(fixture.database)));
  });
  afterAll(async () => {
    await Promise.all(others.map((client) => client.end()));
    await fixture.close();
  });

  const heldInTurn = async (client: Client, customerId: string, signal: AbortSignal) => {
    while (!signal.aborted)
      await client.query(
        `begin; select from ai_account where customer_id = '${customerId}' for no key update;
         select pg_sleep(${HELD_MS / 1000}); commit`,
      );
  };

  it('gives every replica its turn', async () => {
    const customerId = await saveAiCustomer(fixture.superuser, { model: fixture.model, included: 50 });
    const ended = new AbortController();
    const held = others.map((client) => heldInTurn(client, customerId, ended.signal));
    try {
      const calls = Array.from({ length: 40 }, async () => {
        const reservation = request(customerId);
        const reserved = await fixture.ledger().reserve(reservation);
        const { reservationId } = reservation;
        await fixture.ledger().settle({ customerId, reservationId, usage: usage({ output: 20 }), upstreamId: null });
        return reserved.outcome;
      });
      expect(new Set(await Promise.all(calls))).toEqual(new Set(['reserved']));
    } finally {
      ended.abort();
      await Promise.all(held);
    }
    expect(await fixture.problems()).toEqual([]);
  });
});
