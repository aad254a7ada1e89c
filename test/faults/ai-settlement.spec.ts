import type { Client } from 'pg';
import { AiCreditOperatorService } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiRoom, balancesOf, openAiRoom, problemsOf } from '@test/ai-room';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';

const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

/** The account is locked, so nothing can be stored: a settlement is tried for half of AI_HOLD_MARGIN_MS. */
describe('An AI call whose end cannot be stored', () => {
  let room: AiRoom;
  let locker: Client;
  let model: string;
  let customerId: string;
  beforeAll(async () => {
    room = await openAiRoom({ AI_HOLD_MARGIN_MS: '3000', DATABASE_STATEMENT_TIMEOUT_MS: '400' });
    locker = await connectAsSuperuser(room.database);
    model = await saveModelPrice(room.superuser);
  });
  afterAll(async () => {
    await locker.end();
    await room.close();
  });
  beforeEach(async () => {
    room.sandbox.reset();
    customerId = await saveAiCustomer(room.superuser, { model, included: 5 });
  });
  afterEach(async () => {
    await locker.query('rollback');
    expect(await problemsOf(room)).toEqual([]);
  });

  const lock = async () => {
    await locker.query('begin');
    await locker.query('select from ai_account where customer_id = $1 for update', [customerId]);
  };
  /** Sends a message, and locks the account between its reservation and its end. */
  const sendAndLock = async () => {
    const gate = room.sandbox.messages.hold();
    const sent = room.send(customerId, hello).then(
      () => 'answered',
      (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
    );
    await room.sandbox.messages.received(1);
    await lock();
    gate.open();
    return sent;
  };
  const afterwards = async (ms: number) => {
    await room.superuser.query('select pg_sleep($1)', [ms / 1000]);
    await locker.query('rollback');
  };
  const unknown = () => room.operator.get(AiCreditOperatorService).unknownOutcomes(customerId);

  it('is answered and charged once when it can be stored in time', async () => {
    const sent = sendAndLock();
    await room.sandbox.messages.received(1);
    await afterwards(1_000);
    expect(await sent).toBe('answered');
    const { rows } = await room.superuser.query('select count(*)::int from ai_usage where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
    expect(await balancesOf(room.superuser, customerId)).toMatchObject({ held: 0 });
  });

  it('is refused with 503 when it cannot, uncharged, and the operator sees it', async () => {
    expect(await sendAndLock()).toBe('service_unavailable');
    expect(await balancesOf(room.superuser, customerId)).toMatchObject({ included: 5, usage: 0 });
    await locker.query('rollback');
    await until(async () => (await unknown()).length === 1);
    expect(await unknown()).toMatchObject([{ state: 'outcome_unknown', reason: 'settlement could not be stored' }]);
    expect(await balancesOf(room.superuser, customerId)).toMatchObject({ included: 5, usage: 0, held: 0 });
  });

  it('is told at once that the provider refused it; its reservation is released as soon as that can be stored', async () => {
    room.sandbox.messages.always({ status: 529 });
    expect(await sendAndLock()).toBe('ai_upstream_failed');
    expect((await balancesOf(room.superuser, customerId)).held).toBeGreaterThan(0);
    await locker.query('rollback');
    await until(async () => (await balancesOf(room.superuser, customerId)).held === 0);
    expect(await unknown()).toEqual([]);
  });

  it('is not begun when its reservation cannot be stored', async () => {
    await lock();
    await expect(room.send(customerId, hello)).rejects.toMatchObject({ message: 'The database is unavailable' });
    expect(room.sandbox.messages.total).toBe(0);
    await locker.query('rollback');
    expect(await room.send(customerId, hello)).toMatchObject({ type: 'message' });
    expect(await balancesOf(room.superuser, customerId)).toMatchObject({ held: 0 });
  });
});
