import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { faker } from '@test/faker';
import { until } from '@test/until';
import { createWebhookFixture, type TestEndpoint, type WebhookFixture } from '@test/webhook.fixture';
import { startWebhookReceiver, type WebhookReceiver } from '@test/webhook-receiver';
import type { WorkerProcess } from '@test/worker-process';

/** `npm run accept:webhook-kills` has 50, and restarts PostgreSQL five times. */
const KILLS = Number(process.env.ACCEPT_KILLS ?? 2);
const ENDPOINTS = 10;
const PER_ROUND = 40;
/** A dead worker's runs are given to another one after the queue's heartbeat. */
const WITHIN_MS = 60_000;

jest.setTimeout((KILLS + 2) * WITHIN_MS);

describe('Deliveries of workers that are killed, and of a database that is restarted', () => {
  let fixture: WebhookFixture;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    fixture = await createWebhookFixture();
    receiver = await startWebhookReceiver();
  });
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
  });

  it('come at least once, in order, none of a transaction that was rolled back, each with one id', async () => {
    const endpoints: TestEndpoint[] = [];
    for (let at = 0; at < ENDPOINTS; at++) endpoints.push(await fixture.endpoint(`${receiver.url}/${at}`));
    const workers: WorkerProcess[] = [await fixture.startWorker(), await fixture.startWorker()];
    let next = 0;
    const expected = new Map<string, number[]>(endpoints.map(({ url }) => [new URL(url).pathname, []]));
    const recordRound = async () => {
      for (let count = 0; count < PER_ROUND; count++) {
        const { customerId, url } = faker.helpers.arrayElement(endpoints);
        const number = ++next;
        if (count % 10 === 9) {
          const client = await fixture.pool.connect();
          await client.query('begin');
          await client.query(`select app.record_event($1, 'sms.delivered', $2, null)`, [customerId, { id: number }]);
          await client.query('rollback');
          client.release();
        } else {
          await fixture.record(customerId, number);
          expected.get(new URL(url).pathname)?.push(number);
        }
      }
    };
    for (let kill = 0; kill < KILLS; kill++) {
      const recording = recordRound();
      await sleep(faker.number.float({ min: 0, max: 300 }));
      await workers.shift()?.stop('SIGKILL');
      await recording;
      if (kill % 10 === 1) await fixture.restartDatabase();
      workers.push(await fixture.startWorker());
    }
    await recordRound();
    const numbers = (path: string) => receiver.at(path).map(({ event }) => Number(event.data.id));
    const missing = () =>
      [...expected].flatMap(([path, sent]) => {
        const arrived = new Set(numbers(path));
        return sent.filter((number) => !arrived.has(number));
      });
    await until(() => missing().length === 0, 100);
    const repeated = receiver.received.length - [...expected.values()].flat().length;
    for (const { url, secret } of endpoints) {
      const path = new URL(url).pathname;
      // The first arrivals: a killed worker's last deliveries are repeated.
      expect([...new Set(numbers(path))]).toEqual(expected.get(path));
      const ids = new Map<number, Set<unknown>>();
      for (const { event, body, headers } of receiver.at(path)) {
        const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
        // Not verified: the first ones are too old by now.
        const signature = new Webhook(secret).sign(String(headers['webhook-id']), sentAt, body);
        expect(headers['webhook-signature']).toBe(signature);
        const number = Number(event.data.id);
        ids.set(number, (ids.get(number) ?? new Set()).add(headers['webhook-id']));
      }
      expect([...ids.values()].every(({ size }) => size === 1)).toBe(true);
    }
    console.log(`${next} events, ${KILLS} kills: ${repeated} deliveries were repeated`);
  });
});
