import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { CreditLedger, type CreditLedgerService } from '@domains/ai';
import { saveAiCustomer } from '@test/ai-factories';
import { type LedgerFixture, createLedgerFixture, request, usage } from '@test/ledger.fixture';
import { itOnOneServer } from '@test/kinds-of-server';
import { waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';
import { queriesDuring } from '@test/watch-queries';
import { AiMaintenanceService } from '../worker/ai-maintenance.service';

/** A statement's wait for the lock; statements that do not wait for it are far quicker. */
const LOCK_WAIT_MS = 3_000;

describe('A locked account', () => {
  let fixture: LedgerFixture;
  let locker: Client;
  let locked: string;
  beforeAll(async () => {
    fixture = await createLedgerFixture({ DATABASE_STATEMENT_TIMEOUT_MS: String(LOCK_WAIT_MS) });
    locker = await connectAsSuperuser(fixture.database);
  });
  afterAll(async () => {
    await locker.end();
    await fixture.close();
  });
  beforeEach(async () => {
    locked = await save();
    await locker.query('begin');
    await locker.query('select from ai_account where customer_id = $1 for update', [locked]);
  });
  afterEach(async () => {
    await locker.query('rollback');
    expect(await fixture.problems()).toEqual([]);
  });

  const save = () => saveAiCustomer(fixture.superuser, { model: fixture.model, included: 50 });
  const moveToAFormerMonth = async (client: Client, customerId: string) => {
    for (const table of ['ai_account', 'ai_ledger_entry'])
      await client.query(`update ${table} set month = '2020-01' where customer_id = $1`, [customerId]);
  };
  const timed = async <T>(work: Promise<T>) => {
    const startedAt = performance.now();
    await work;
    return performance.now() - startedAt;
  };
  const call = async (customerId: string) => {
    const reservation = request(customerId);
    expect(await fixture.ledger().reserve(reservation)).toMatchObject({ outcome: 'reserved' });
    await fixture
      .ledger()
      .settle({ customerId, reservationId: reservation.reservationId, usage: usage({ output: 20 }), upstreamId: null });
  };

  it('delays its own customer only, under load', async () => {
    const others = await Promise.all(Array.from({ length: 40 }, save));
    const waiting = Promise.all(Array.from({ length: 60 }, () => call(locked)));
    const durations: number[] = [];
    for (let round = 0; round < 10; round++) {
      // New calls of the locked customer keep arriving in between.
      void call(locked).catch(() => undefined);
      durations.push(...(await Promise.all(others.map((customerId) => timed(call(customerId))))));
    }
    expect(durations).toHaveLength(400);
    // Without the lock a round takes some milliseconds; each wait for a lock would take three seconds.
    durations.sort((a, b) => a - b);
    expect(durations[Math.floor(durations.length * 0.9)]).toBeLessThan(1_500);
    expect(durations.at(-1)).toBeLessThan(LOCK_WAIT_MS);
    await locker.query('rollback');
    await waiting;
    const { rows } = await fixture.superuser.query<{ count: number }>(
      'select count(*)::int from ai_usage where customer_id = $1',
      [locked],
    );
    expect(rows[0]!.count).toBeGreaterThanOrEqual(60);
  });

  itOnOneServer(
    'is none if a key is: the calls beside it in the batch go on without it',
    'a batch there has one customer',
    async () => {
      await locker.query('rollback');
      await locker.query('begin');
      const key = { hash: randomBytes(32), fingerprint: randomBytes(32) };
      // As a deletion of old keys or another request holds it.
      await locker.query('select app.claim_idempotency_key($1, $2, $3, $4)', [
        locked,
        key.hash,
        key.fingerprint,
        randomUUID(),
      ]);
      const others = [await save(), await save(), await save()];
      const ledger = fixture.ledger(0);
      const waiting = ledger.reserve(request(locked, { key }));
      const statements = await queriesDuring(() => Promise.all(others.map((id) => ledger.reserve(request(id)))));
      // Of all four, of the three without a key, and of the one that waits.
      const reserving = statements.filter((text) => text.includes('app.ai_reserve'));
      expect(reserving.length).toBeLessThanOrEqual(3);
      await locker.query('rollback');
      expect(await waiting).toMatchObject({ outcome: 'reserved' });
    },
  );

  it('fails the calls of its customer when it stays locked, and reserves nothing', async () => {
    await expect(fixture.ledger().reserve(request(locked))).rejects.toMatchObject({
      message: 'The database is unavailable',
    });
    await locker.query('rollback');
    await call(locked);
    expect(await fixture.account(locked)).toMatchObject({ reserved: '0.000000000000' });
  });

  itOnOneServer(
    'has none of its calls tried again by themselves when the connection of their batch ends, in either way of the ledger',
    'the connection is one to a node',
    async () => {
      const ledger = fixture.engines[0]!.get<CreditLedgerService>(CreditLedger);
      for (const way of ['cluster', 'one server'] as const) {
        ledger.use(way);
        await locker.query('begin');
        await locker.query('select from ai_account where customer_id = $1 for update', [locked]);
        const ends = Promise.allSettled([0, 1, 2].map(() => ledger.reserve(request(locked))));
        await waitForLocks(fixture.superuser, 1);
        await fixture.superuser.query(
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        await locker.query('rollback');
        // As after a fail-over: each statement may have been done.
        const unavailable = expect.objectContaining({ message: 'The database is unavailable' }) as Error;
        expect(await ends).toEqual(Array(3).fill({ status: 'rejected', reason: unavailable }));
        expect(await fixture.account(locked)).toMatchObject({ reserved: '0.000000000000' });
      }
    },
  );

  itOnOneServer(
    'is served together with others again once its lock is gone',
    'a cluster has no such statement',
    async () => {
      const waiting = call(locked);
      await waitForLocks(fixture.superuser, 1);
      await locker.query('rollback');
      await waiting;
      const customers = [locked, await save()];
      const statements = await queriesDuring(() =>
        Promise.all(customers.map((customerId) => fixture.ledger(0).reserve(request(customerId)))),
      );
      expect(statements.filter((text) => text.includes('app.ai_reserve'))).toEqual([
        expect.stringContaining('app.ai_reserve('),
      ]);
    },
  );

  it('keeps an abandoned call from being resolved, which a retry of it learns at once', async () => {
    await locker.query('commit');
    const reservation = request(locked);
    await fixture.ledger().reserve(reservation);
    await fixture.superuser.query(`update ai_reservation set deadline = now() - interval '1 minute' where id = $1`, [
      reservation.reservationId,
    ]);
    const resolve = async () =>
      (
        await fixture.superuser.query<{ resolved: boolean }>(
          'select app.ai_resolve_abandoned_call($1, $2) as resolved',
          [locked, reservation.reservationId],
        )
      ).rows[0]?.resolved;
    await locker.query('begin');
    await locker.query('select from ai_account where customer_id = $1 for update', [locked]);
    expect(await timed(resolve().then((resolved) => expect(resolved).toBe(false)))).toBeLessThan(LOCK_WAIT_MS);
    await locker.query('rollback');
    expect([await resolve(), await resolve()]).toEqual([true, false]);
    expect(await fixture.account(locked)).toMatchObject({ reserved: '0.000000000000' });
  });

  it('does not block the worker for other customers', async () => {
    const other = await save();
    await moveToAFormerMonth(fixture.superuser, other);
    await moveToAFormerMonth(locker, locked);
    await locker.query('commit');
    await locker.query('begin');
    await locker.query('select from ai_account where customer_id = $1 for update', [locked]);
    const reservation = request(other);
    await fixture.ledger().reserve(reservation);
    await fixture.superuser.query(`update ai_reservation set process_id = $2, month = '2020-01' where id = $1`, [
      reservation.reservationId,
      randomUUID(),
    ]);
    await moveToAFormerMonth(fixture.superuser, other);
    const maintenance = fixture.operator.get(AiMaintenanceService);
    expect(await timed(maintenance.rollMonthsOver().then((count) => expect(count).toBe(1)))).toBeLessThan(LOCK_WAIT_MS);
    expect(await timed(maintenance.resolveAbandoned().then((count) => expect(count).toBe(1)))).toBeLessThan(
      LOCK_WAIT_MS,
    );
    await locker.query('rollback');
    expect(await maintenance.rollMonthsOver()).toBe(1);
  });
});
