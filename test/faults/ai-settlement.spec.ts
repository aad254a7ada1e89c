import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { Logger } from '@nestjs/common';
import { AiUsageOperatorService, CreditLedger } from '@domains/ai';
import { DatabaseUnavailableError } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { problemOf } from '@platform/http';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { type AiFixture, balancesOf, createAiFixture, problemsOf } from '@test/ai.fixture';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';
import { SDK_DIALECT } from '../../apps/customer-api/src/ai/sdk-dialect';

/** Whether SDKs may send the message again by themselves. */
const xShouldRetry = (error: unknown) => SDK_DIALECT.convert(problemOf(error, 'id')).headers['x-should-retry'];

const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 };

/**
 * The account is locked, so nothing can be stored: a settlement is tried for half of AI_RESERVATION_MARGIN_MS, then its outcome is asked
 * for.
 */
describe('An AI call whose end cannot be stored', () => {
  let fixture: AiFixture;
  let locker: Client;
  let model: string;
  let customerId: string;
  beforeAll(async () => {
    fixture = await createAiFixture({ AI_RESERVATION_MARGIN_MS: '8000', DATABASE_STATEMENT_TIMEOUT_MS: '1000' });
    locker = await connectAsSuperuser(fixture.database);
    model = await saveModelPrice(fixture.superuser);
  });
  afterAll(async () => {
    await locker.end();
    await fixture.close();
  });
  beforeEach(async () => {
    fixture.sandbox.reset();
    customerId = await saveAiCustomer(fixture.superuser, { model, included: 5 });
  });
  afterEach(async () => {
    await locker.query('rollback');
    expect(await problemsOf(fixture)).toEqual([]);
  });

  const lock = async () => {
    await locker.query('begin');
    await locker.query('select from ai_account where customer_id = $1 for update', [customerId]);
  };
  /** Sends a message, and locks the account between its reservation and its end. */
  const sendAndLock = async () => {
    const gate = fixture.sandbox.messages.hold();
    const sent = fixture.send(customerId, hello).then(
      () => 'answered',
      (error: unknown) =>
        error instanceof ServiceError ? `${error.code}: ${error.message} ${xShouldRetry(error)}` : String(error),
    );
    await fixture.sandbox.messages.received(1);
    await lock();
    gate.open();
    return sent;
  };
  const afterwards = async (ms: number) => {
    await fixture.superuser.query('select pg_sleep($1)', [ms / 1000]);
    await locker.query('rollback');
  };
  const unknown = async () =>
    (await fixture.operator.get(AiUsageOperatorService).unknownOutcomes(customerId, { limit: 10 })).rows;

  it('is answered and charged once when it can be stored in time', async () => {
    const sent = sendAndLock();
    await fixture.sandbox.messages.received(1);
    await afterwards(1_000);
    expect(await sent).toBe('answered');
    const { rows } = await fixture.superuser.query('select count(*)::int from ai_usage where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ reserved: 0 });
  });

  const uncharged = async () => {
    expect(await unknown()).toMatchObject([{ state: 'not_charged', reason: 'settlement could not be stored' }]);
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ included: 5, usage: 0, reserved: 0 });
  };

  it('is refused with 503 when it cannot, is not charged, and the operator sees it', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const startedAt = performance.now();
    const sent = sendAndLock();
    await fixture.sandbox.messages.received(1);
    await until(() => logged.mock.calls.length > 0);
    expect(performance.now() - startedAt).toBeGreaterThan(4_000);
    await locker.query('rollback');
    expect(await sent).toMatch(/^service_unavailable: .* You were not charged.* true$/);
    expect(logged.mock.calls.map(([line]) => line as object)).toEqual([
      expect.objectContaining({ msg: 'AI call could not be settled', upstream_request_id: expect.any(String) }),
    ]);
    logged.mockRestore();
    await uncharged();
  });

  it('is told that nobody knows, and where to look, while its outcome cannot be found out; then it is decided', async () => {
    expect(await sendAndLock()).toMatch(
      /^service_unavailable: .* it is unknown whether it was charged. Read the receipt, .*\/ai\/usage\/.* false$/,
    );
    expect(await unknown()).toEqual([]);
    await locker.query('rollback');
    await until(async () => (await unknown()).length === 1);
    await uncharged();
  });

  it('is answered when it was charged and only the confirmations were lost', async () => {
    const ledger = fixture.engines[0]!.get(CreditLedger);
    const settle = ledger.settle.bind(ledger);
    const lostUntil = performance.now() + 4_500;
    const lost = jest.spyOn(ledger, 'settle').mockImplementation(async (settlement) => {
      const result = await settle(settlement);
      if (performance.now() < lostUntil) throw new DatabaseUnavailableError(new Error('the confirmation is lost'));
      return result;
    });
    expect(await fixture.send(customerId, hello)).toMatchObject({ type: 'message' });
    expect(lost.mock.calls.length).toBeGreaterThan(1);
    lost.mockRestore();
    expect(await unknown()).toEqual([]);
    const { rows } = await fixture.superuser.query('select count(*)::int from ai_usage where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('is not charged when its settlement is refused as faulty, and the credit is free again soon', async () => {
    const faulty = new Error('a value is out of its range');
    jest.spyOn(fixture.engines[0]!.get(CreditLedger), 'settle').mockRejectedValueOnce(faulty);
    await expect(fixture.send(customerId, hello)).rejects.toBe(faulty);
    jest.restoreAllMocks();
    await until(async () => (await unknown()).length === 1);
    await uncharged();
  });

  it('is answered at once that the provider refused it; its reservation is released as soon as that can be stored', async () => {
    fixture.sandbox.messages.always({ status: 529 });
    expect(await sendAndLock()).toMatch(/^ai_upstream_failed/);
    expect((await balancesOf(fixture.superuser, customerId)).reserved).toBeGreaterThan(0);
    await locker.query('rollback');
    await until(async () => (await balancesOf(fixture.superuser, customerId)).reserved === 0);
    expect(await unknown()).toEqual([]);
  });

  it('is not begun when the confirmation of its reservation is lost, and the credit is free again soon', async () => {
    const ledger = fixture.engines[0]!.get(CreditLedger);
    const reserve = ledger.reserve.bind(ledger);
    let stored: Promise<unknown> | undefined;
    const lost = jest.spyOn(ledger, 'reserve').mockImplementationOnce((request) => {
      // The statement runs on for most of the time that it may take.
      stored = delay(700).then(() => reserve(request));
      return Promise.reject(new DatabaseUnavailableError(new Error('the confirmation is lost')));
    });
    await expect(fixture.send(customerId, hello)).rejects.toMatchObject({ message: 'The database is unavailable' });
    lost.mockRestore();
    expect(fixture.sandbox.messages.total).toBe(0);
    expect(await stored).toMatchObject({ outcome: 'reserved' });
    expect((await balancesOf(fixture.superuser, customerId)).reserved).toBeGreaterThan(0);
    await until(async () => (await balancesOf(fixture.superuser, customerId)).reserved === 0);
    expect(await unknown()).toEqual([]);
  });

  it('is not begun when its reservation cannot be stored', async () => {
    await lock();
    await expect(fixture.send(customerId, hello)).rejects.toMatchObject({ message: 'The database is unavailable' });
    expect(fixture.sandbox.messages.total).toBe(0);
    await locker.query('rollback');
    expect(await fixture.send(customerId, hello)).toMatchObject({ type: 'message' });
    expect(await balancesOf(fixture.superuser, customerId)).toMatchObject({ reserved: 0 });
  });
});
