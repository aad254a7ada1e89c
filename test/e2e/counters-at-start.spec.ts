import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import type { AddressInfo } from 'node:net';
import { InternalListenerService } from '@platform/internal-listener';
import { startApi, type TestApi } from '@test/api';
import { WorkerModule } from '../../apps/worker/src/worker.module';

describe('counters', () => {
  let api: TestApi;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    api = await startApi({ SANDBOX_URL: 'http://127.0.0.1:9' });
    worker = await NestFactory.createApplicationContext(WorkerModule.with(api.database.config), { logger: false });
  });
  afterAll(async () => {
    await worker.close();
    await api.stop();
  });

  const ofApi = () => scrape(api.app.get(InternalListenerService));
  const ofWorker = () => scrape(worker.get(InternalListenerService));

  // rate() and increase() see no event of a series that begins with it.
  it('are shown with 0 before their first event', async () => {
    for (const text of [await ofApi(), await ofWorker()]) {
      const counters = [...text.matchAll(/^# TYPE (\w+) counter$/gm)].map(([, name = '']) => name);
      expect(counters.length).toBeGreaterThan(4);
      expect(counters.filter((name) => !new RegExp(`^${name}(\\{.*\\})? `, 'm').test(text))).toEqual([]);
    }
  });

  it('are so for each label that is known', async () => {
    const text = await ofApi();
    const labels = (counter: string, scraped = text) =>
      [...scraped.matchAll(new RegExp(`^${counter}\\{\\w+="([^"]+)"\\} 0$`, 'gm'))].map(([, label]) => label).sort();
    expect(labels('ai_tokens_total')).toEqual(['cache_read', 'cache_write', 'input', 'output']);
    expect(labels('ai_uncovered_nok_total')).toEqual(['beyond_reservation', 'reservation_given_up']);
    expect(labels('ai_uncovered_calls_total')).toEqual(['beyond_reservation', 'reservation_given_up']);
    expect(labels('sms_sent_total')).toEqual(['accepted', 'delivered', 'failed', 'sent', 'unknown']);
    expect(labels('rate_limited_requests_total')).toEqual(['none', 'others']);
    expect(labels('database_refusals_total')).toEqual([
      ...['corrupted', 'disk_error', 'disk_full', 'out_of_memory', 'read_only', 'too_many_connections'],
    ]);
    expect(labels('upstream_reply_bytes_total')).toContain('ai-provider');
    expect(text).toMatch(/^ai_charged_nok_total 0$/m);
    const workers = await ofWorker();
    expect(labels('webhook_attempts_total', workers)).toEqual(['delivered', 'disabled', 'failed']);
    expect(labels('upstream_reply_bytes_total', workers)).toContain('webhook');
  });
});

async function scrape({ server }: InternalListenerService): Promise<string> {
  const { port } = server.server.address() as AddressInfo;
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}
