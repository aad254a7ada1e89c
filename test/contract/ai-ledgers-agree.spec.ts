import { en, Faker } from '@faker-js/faker';
import type { Client } from 'pg';
import { saveAiCustomer } from '@test/ai-factories';
import { setDatabaseClock } from '@test/database-clock';
import { describeOnOneServer } from '@test/kinds-of-server';
import { LEDGER_NAMES } from '@test/ledger.fixture';
import { LedgerSide } from '@test/ledgers/ledger-side';
import { RandomSteps } from '@test/ledgers/random-steps';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '@test/test-database';

/** `npm run accept:ledgers` runs 10,000. */
const HISTORIES = Number(process.env.ACCEPT_HISTORIES ?? 150);
const PORTION = 50;
const STEPS = 25;
const CUSTOMERS = 3;
const LIFETIME_MS = 600_000;

/**
 * The ledger over many customers and the plain one per customer, through the same random histories: each answer is the same,
 * and so are all rows at the end.
 */
describeOnOneServer('The two ledgers', 'there only one of them runs', () => {
  let database: TestDatabase;
  let superuser: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    superuser = await connectAsSuperuser(database);
  });
  afterAll(async () => {
    await superuser.end();
    await database.drop();
  });

  const history = async (seed: number) => {
    const steps = new RandomSteps(new Faker({ locale: [en], seed }), CUSTOMERS, LIFETIME_MS);
    const model = `model-${seed}`;
    await setDatabaseClock(superuser, { standsAt: '2026-11-20T12:00:00Z' });
    const sides: LedgerSide[] = [];
    for (const name of LEDGER_NAMES) {
      const customers: string[] = [];
      for (let count = 0; count < CUSTOMERS; count++)
        customers.push(await saveAiCustomer(superuser, { model, month: '2026-11', included: 2 }));
      sides.push(new LedgerSide(superuser, customers.sort(), name, model, LIFETIME_MS));
    }
    await sides[0]!.apply({ step: 'price', rates: steps.rates() });
    const told: string[] = [];
    for (let count = 0; count < STEPS; count++) {
      const step = steps.next();
      told.push(JSON.stringify(step));
      const answers: unknown[] = [];
      for (const side of sides) answers.push(await side.apply(step));
      expect({ seed, told, answer: answers[1] }).toEqual({ seed, told, answer: answers[0] });
    }
    const [batched, plain] = [await sides[0]!.rows(), await sides[1]!.rows()];
    expect({ seed, told, rows: plain }).toEqual({ seed, told, rows: batched });
    return plain.length;
  };

  it.each(Array.from({ length: Math.ceil(HISTORIES / PORTION) }, (_, index) => index * PORTION))(
    'answer alike and leave the same rows: histories from %i on',
    async (from) => {
      let rows = 0;
      for (let index = from; index < Math.min(HISTORIES, from + PORTION); index++)
        rows += await history(Number(process.env.TEST_SEED) * 10_000 + index);
      expect(rows).toBeGreaterThan(PORTION);
    },
    600_000,
  );
});
