import { randomUUID } from 'node:crypto';
import { saveAiCustomer } from '@test/ai-factories';
import { type LedgerRoom, openLedgerRoom, request, usage } from '@test/ledger-room';
import { AiMaintenanceService } from '../worker/ai-maintenance.service';
import { ProcessHeartbeatService } from './process-heartbeat.service';

describe("A dead process's reservations", () => {
  let room: LedgerRoom;
  beforeAll(async () => (room = await openLedgerRoom()));
  afterAll(() => room.close());

  /** Reserves as a process that gave its last sign of life so many seconds of service ago. */
  const reservedBy = async (customerId: string, silentSeconds: number | 'never') => {
    const processId = randomUUID();
    const wish = request(customerId);
    await room.ledger().reserve(wish);
    await room.superuser.query('update ai_hold set process_id = $1 where id = $2', [processId, wish.reservationId]);
    if (silentSeconds !== 'never') {
      await room.superuser.query(
        `insert into process_liveness (id, seen, seen_at)
         select $1, served - make_interval(secs => $2), now() from liveness_clock`,
        [processId, silentSeconds],
      );
    }
    return { processId, reservationId: wish.reservationId };
  };
  const save = (included = 0.1) => saveAiCustomer(room.superuser, { model: room.model, included });
  const states = async (customerId: string) =>
    (
      await room.superuser.query<{ state: string; reason: string }>(
        'select state, reason from ai_hold where customer_id = $1 order by created_at',
        [customerId],
      )
    ).rows;
  const resolve = () => room.operator.get(AiMaintenanceService).resolveAbandoned();

  it('are given back after a grace, long before their deadline, and not before', async () => {
    const [gone, silent] = [await save(), await save()];
    await reservedBy(gone, 11);
    await reservedBy(silent, 8);
    expect(await resolve()).toBe(1);
    expect(await states(gone)).toEqual([{ state: 'outcome_unknown', reason: 'process gone' }]);
    expect(await states(silent)).toEqual([{ state: 'pending', reason: null }]);
    expect(Number((await room.account(gone)).held)).toBe(0);
    expect(await room.problems()).toEqual([]);
  });

  it('are given back at once when the process said that it ends', async () => {
    const customerId = await save();
    await reservedBy(customerId, 'never');
    expect(await resolve()).toBeGreaterThan(0);
    expect(await states(customerId)).toMatchObject([{ state: 'outcome_unknown' }]);
  });

  it('are given back by the next call that needs the credit, also when no worker runs', async () => {
    const customerId = await save();
    await reservedBy(customerId, 11);
    expect((await room.ledger().reserve(request(customerId))).outcome).toBe('reserved');
    expect(await states(customerId)).toMatchObject([{ state: 'outcome_unknown' }, { state: 'pending' }]);
    expect(await room.problems(customerId)).toEqual([]);
  });

  it('are not given back because the database was away: only time that it served counts', async () => {
    const customerId = await save();
    const { processId } = await reservedBy(customerId, 1);
    // The database was stopped for a minute; the first heartbeat after it is another process's.
    await room.superuser.query(`update liveness_clock set ticked_at = ticked_at - interval '1 minute'`);
    await room.superuser.query('select app.process_heartbeat($1)', [randomUUID()]);
    expect(await resolve()).toBe(0);
    const { rows } = await room.superuser.query<{ gone: boolean }>('select app.process_is_gone($1) as gone', [
      processId,
    ]);
    expect(rows).toEqual([{ gone: false }]);
  });

  it('that came back to life are its own again; what was given up is charged late', async () => {
    const customerId = await save(1);
    const { processId, reservationId } = await reservedBy(customerId, 11);
    await resolve();
    await room.superuser.query('select app.process_heartbeat($1)', [processId]);
    const again = request(customerId);
    await room.ledger().reserve(again);
    await room.superuser.query('update ai_hold set process_id = $1 where id = $2', [processId, again.reservationId]);
    await resolve();
    expect(await states(customerId)).toMatchObject([{ state: 'outcome_unknown' }, { state: 'pending' }]);
    expect(
      await room.ledger().settle({ customerId, reservationId, usage: usage({ output: 20 }), upstreamId: null }),
    ).toEqual({ uncovered: '0.000000000000', late: true });
    expect(await room.problems(customerId)).toEqual([]);
  });

  it('are not given back while it goes on reserving, though its heartbeats are lost', async () => {
    const customerId = await save();
    await room.superuser.query('update process_liveness set seen = seen - $1::interval', ['1 minute']);
    expect((await room.ledger().reserve(request(customerId))).outcome).toBe('reserved');
    const { rows } = await room.superuser.query<{ gone: boolean }>(
      'select app.process_is_gone(process_id) as gone from ai_hold where customer_id = $1',
      [customerId],
    );
    expect(rows).toEqual([{ gone: false }]);
  });

  it('are found by what each process writes once a second', async () => {
    const heartbeat = room.engines[0]!.get(ProcessHeartbeatService);
    const seen = async () => {
      const { rows } = await room.superuser.query<{ at: Date }>(
        'select seen_at as at from process_liveness where id = $1',
        [heartbeat.processId],
      );
      return rows[0]!.at.getTime();
    };
    const first = await seen();
    while ((await seen()) === first) await room.superuser.query('select pg_sleep(0.1)');
    expect((await seen()) - first).toBeLessThan(5_000);
    expect(Math.abs(heartbeat.databaseTime().getTime() - Date.now())).toBeLessThan(1_000);
  });

  it('do not stay behind in the list of processes for ever', async () => {
    const customerId = await save();
    const { processId } = await reservedBy(customerId, 20);
    await room.superuser.query(`update process_liveness set seen_at = now() - interval '2 days' where id = $1`, [
      processId,
    ]);
    const forget = async () => {
      await room.operator.get(AiMaintenanceService).forgetGoneProcesses();
      return (await room.superuser.query('select from process_liveness where id = $1', [processId])).rowCount;
    };
    expect(await forget()).toBe(1);
    await resolve();
    expect(await forget()).toBe(0);
  });
});
