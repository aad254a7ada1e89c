import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { saveAiCustomer } from '@test/ai-factories';
import { type LedgerFixture, createLedgerFixture, request, usage } from '@test/ledger.fixture';
import { onNode } from '@test/database-server';
import { until } from '@test/until';
import { AiMaintenanceService } from '../worker/ai-maintenance.service';
import { ProcessHeartbeatService } from './process-heartbeat.service';

describe("A dead process's reservations", () => {
  let fixture: LedgerFixture;
  beforeAll(async () => (fixture = await createLedgerFixture()));
  afterAll(() => fixture.close());

  /**
   * Reserves as a process whose last heartbeat was the given number of seconds ago (seconds in which the database ran).
   */
  const reservedBy = async (customerId: string, silentSeconds: number | 'never') => {
    const processId = randomUUID();
    const reservation = request(customerId);
    await fixture.ledger().reserve(reservation);
    await fixture.superuser.query('update ai_reservation set process_id = $1 where id = $2', [
      processId,
      reservation.reservationId,
    ]);
    if (silentSeconds !== 'never') {
      await fixture.superuser.query(
        `insert into process_liveness (id, seen, seen_at)
         select $1, served - make_interval(secs => $2), now() from liveness_clock`,
        [processId, silentSeconds],
      );
    }
    return { processId, reservationId: reservation.reservationId };
  };
  const save = (included = 0.1) => saveAiCustomer(fixture.superuser, { model: fixture.model, included });
  const states = async (customerId: string) =>
    (
      await fixture.superuser.query<{ state: string; reason: string }>(
        'select state, reason from ai_reservation where customer_id = $1 order by created_at',
        [customerId],
      )
    ).rows;
  const resolve = () => fixture.operator.get(AiMaintenanceService).resolveAbandoned();

  it('are resolved after the grace time, long before their deadline, and not before', async () => {
    const [gone, silent] = [await save(), await save()];
    await reservedBy(gone, 11);
    await reservedBy(silent, 8);
    expect(await resolve()).toBe(1);
    expect(await states(gone)).toEqual([{ state: 'outcome_unknown', reason: 'process gone' }]);
    expect(await states(silent)).toEqual([{ state: 'pending', reason: null }]);
    expect(Number((await fixture.account(gone)).reserved)).toBe(0);
    expect(await fixture.problems()).toEqual([]);
  });

  it('are resolved at once if the process announced its end', async () => {
    const customerId = await save();
    await reservedBy(customerId, 'never');
    expect(await resolve()).toBeGreaterThan(0);
    expect(await states(customerId)).toMatchObject([{ state: 'outcome_unknown' }]);
  });

  it('are resolved by the next call that needs the credit, also without a worker', async () => {
    const customerId = await save();
    await reservedBy(customerId, 11);
    expect((await fixture.ledger().reserve(request(customerId))).outcome).toBe('reserved');
    expect(await states(customerId)).toMatchObject([{ state: 'outcome_unknown' }, { state: 'pending' }]);
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('are not lent again beyond the limit of the month, when the next call resolves them', async () => {
    const customerId = await save(1);
    await fixture.superuser.query('update ai_settings set total_limit = 0.15 where customer_id = $1', [customerId]);
    await reservedBy(customerId, 11);
    const next = request(customerId, { maxTokens: 100, leastTokens: 1 });
    // 0.15 NOK buy 30 tokens at 0.005.
    expect(await fixture.ledger().reserve(next)).toMatchObject({ outcome: 'reserved', maxTokens: 30 });
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it('are not resolved because the database was down: its downtime does not count', async () => {
    const customerId = await save();
    const { processId } = await reservedBy(customerId, 1);
    // The database was stopped for a minute; the first heartbeat after that is another process's.
    // In a time zone: a cluster refuses expressions that depend on the session's.
    await fixture.superuser.query(
      `update liveness_clock set ticked_at = (ticked_at at time zone 'UTC' - interval '1 minute') at time zone 'UTC'`,
    );
    await fixture.superuser.query('select app.process_heartbeat($1)', [randomUUID()]);
    await resolve();
    expect(await states(customerId)).toMatchObject([{ state: 'pending' }]);
    const { rows } = await fixture.superuser.query<{ gone: boolean }>('select app.process_is_gone($1) as gone', [
      processId,
    ]);
    expect(rows).toEqual([{ gone: false }]);
  });

  it('are resolved all the same when the clock of the database has gone back since', async () => {
    const customerId = await save();
    await reservedBy(customerId, 11);
    await fixture.superuser.query(
      `update liveness_clock set ticked_at = (ticked_at at time zone 'UTC' + interval '1 hour') at time zone 'UTC'`,
    );
    await fixture.superuser.query('select app.process_heartbeat($1)', [randomUUID()]);
    await resolve();
    expect(await states(customerId)).toMatchObject([{ state: 'outcome_unknown' }]);
  });

  it('belong to it again if it resumes; resolved ones are charged late', async () => {
    const customerId = await save(1);
    const { processId, reservationId } = await reservedBy(customerId, 11);
    await resolve();
    await fixture.superuser.query('select app.process_heartbeat($1)', [processId]);
    const again = request(customerId);
    await fixture.ledger().reserve(again);
    await fixture.superuser.query('update ai_reservation set process_id = $1 where id = $2', [
      processId,
      again.reservationId,
    ]);
    await resolve();
    expect(await states(customerId)).toMatchObject([{ state: 'outcome_unknown' }, { state: 'pending' }]);
    expect(
      await fixture.ledger().settle({ customerId, reservationId, usage: usage({ output: 20 }), upstreamId: null }),
    ).toMatchObject({ uncovered: '0.000000000000', late: true });
    expect(await fixture.problems(customerId)).toEqual([]);
  });

  it.each([1, 2])(
    'are not resolved while it goes on reserving, %i at a time, even if its heartbeats are lost',
    async (calls) => {
      const customerId = await save(1);
      const nodes = [fixture.database.url, ...fixture.database.workers];
      for (const node of nodes) await onNode(node, `update process_liveness set seen = seen - interval '1 minute'`);
      const reserved = await Promise.all(
        Array.from({ length: calls }, () => fixture.ledger().reserve(request(customerId))),
      );
      expect(reserved.map(({ outcome }) => outcome)).toEqual(reserved.map(() => 'reserved'));
      const { rows: made } = await fixture.superuser.query<{ by: string }>(
        'select process_id as by from ai_reservation where customer_id = $1',
        [customerId],
      );
      const asked = await Promise.all(
        nodes.map((node) => onNode<{ gone: boolean }>(node, `select app.process_is_gone('${made[0]!.by}') as gone`)),
      );
      // The node that has the customer knows.
      expect(asked.flat()).toContainEqual({ gone: false });
    },
  );

  const heartbeat = () => fixture.engines[0]!.get(ProcessHeartbeatService);
  const seen = async () => {
    const { rows } = await fixture.superuser.query<{ at: Date }>(
      'select seen_at as at from process_liveness where id = $1',
      [heartbeat().processId],
    );
    return rows[0]!.at.getTime();
  };
  const nextHeartbeat = async () => {
    const last = await seen();
    await until(async () => (await seen()) !== last);
  };

  it('are found by the heartbeat of each process', async () => {
    const first = await seen();
    await nextHeartbeat();
    expect((await seen()) - first).toBeLessThan(5_000);
    expect(Math.abs(heartbeat().databaseTime().getTime() - Date.now())).toBeLessThan(1_000);
  });

  it('are not at risk while heartbeats fail for a moment, which the log says once, and when they are back', async () => {
    const [warned, logged] = [jest.spyOn(Logger.prototype, 'warn'), jest.spyOn(Logger.prototype, 'log')];
    const said = (calls: unknown[][]) =>
      calls.map(([line]) => (typeof line === 'string' ? line : (line as { msg: string }).msg));
    const heartbeats = (calls: unknown[][]) => said(calls).filter((line) => line.startsWith('Heartbeat'));
    await fixture.superuser.query(`
      create function refuse_heartbeats() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
      create trigger refuse before insert or update on process_liveness for each statement execute function refuse_heartbeats()`);
    await until(() => heartbeats(warned.mock.calls).length > 0);
    await fixture.superuser.query('drop trigger refuse on process_liveness; drop function refuse_heartbeats()');
    for (let count = 0; count < 3; count++) await nextHeartbeat();
    expect([heartbeats(warned.mock.calls), heartbeats(logged.mock.calls)]).toEqual([
      ['Heartbeat failed'],
      ['Heartbeat is back'],
    ]);
    jest.restoreAllMocks();
  });

  it('are removed from the list of processes after some time', async () => {
    const customerId = await save();
    const { processId } = await reservedBy(customerId, 20);
    await fixture.superuser.query(`update process_liveness set seen_at = now() - interval '2 days' where id = $1`, [
      processId,
    ]);
    const forget = async () => {
      await fixture.operator.get(AiMaintenanceService).forgetGoneProcesses();
      return (await fixture.superuser.query('select from process_liveness where id = $1', [processId])).rowCount;
    };
    expect(await forget()).toBe(1);
    await resolve();
    expect(await forget()).toBe(0);
  });
});
