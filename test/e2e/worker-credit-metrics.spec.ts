import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { InternalListenerService } from '@platform/internal-listener';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { useTestDatabase } from '@test/use-test-database';
import { AiJobs } from '../../apps/worker/src/ai-jobs';
import { WorkerModule } from '../../apps/worker/src/worker.module';

const database = useTestDatabase();

describe("the worker's metrics of AI credit", () => {
  let worker: INestApplicationContext;
  let customerId: string;

  beforeAll(async () => {
    customerId = await saveAiCustomer(database.superuser, {
      model: await saveModelPrice(database.superuser),
      included: 50,
    });
    worker = await NestFactory.createApplicationContext(WorkerModule.with(database.config), { logger: false });
  });

  afterAll(async () => {
    await worker.close();
  });

  async function metric(name: string): Promise<number | undefined> {
    const { port } = worker.get(InternalListenerService).server.server.address() as AddressInfo;
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  }

  const verify = (signal = new AbortController().signal) => worker.get(AiJobs).verifyCredit(signal);
  const book = (amount: number) =>
    database.superuser.query('update ai_account set purchased = purchased + $2 where customer_id = $1', [
      customerId,
      amount,
    ]);

  it('say after a verification how long ago it was, and that nothing is wrong', async () => {
    await verify();
    expect(await metric('ai_credit_problems')).toBe(0);
    expect(await metric('ai_credit_verified_seconds')).toBeLessThan(60);
  });

  it('count a krone too much in a balance until it is gone', async () => {
    await book(1);
    await verify();
    expect(await metric('ai_credit_problems')).toBe(1);
    await book(-1);
    await verify();
    expect(await metric('ai_credit_problems')).toBe(0);
  });

  it('do not take a verification that was cut short for one that found nothing', async () => {
    await book(1);
    await verify();
    await book(-1);
    await verify(AbortSignal.abort());
    expect(await metric('ai_credit_problems')).toBe(1);
  });

  it('show reserved credit and the age of the oldest reservation', async () => {
    expect(await metric('ai_reservation_oldest_seconds')).toBe(0);
    await database.superuser.query(
      `insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline, month, request_id, created_at)
       select $1, app.new_id(), 2.5, m.model, m.valid_from, 1, 1, now() + interval '1 hour', '2026-11', 'r', now() - interval '20 minutes'
       from ai_model_price m limit 1`,
      [customerId],
    );
    await database.superuser.query('update ai_account set reserved = 2.5 where customer_id = $1', [customerId]);
    expect(await metric('ai_reservation_oldest_seconds')).toBeGreaterThanOrEqual(1200);
    expect(await metric('ai_reservations_pending')).toBe(1);
    expect(await metric('ai_reserved_nok')).toBe(2.5);
    expect(await metric('ai_exhausted_accounts')).toBe(0);
  });
});
