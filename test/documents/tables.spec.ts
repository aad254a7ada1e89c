import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { SCOPES } from '@platform/tokens';
import { errorCatalog } from '@platform/errors';
import { SMS_ERROR_CODES } from '@domains/sms';
import { InternalListenerService } from '@platform/internal-listener';
import { startApi, type TestApi } from '@test/api';
import { logMessages } from '@test/documents/log-messages';
import { readSourceFiles } from '@test/documents/source-files';
import { tableRows } from '@test/documents/tables';
import { WorkerModule } from '../../apps/worker/src/worker.module';

const code = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

describe("tables of the customers' guide", () => {
  it('have every error code with its status and title', () => {
    const rows = tableRows('docs/guide/errors.md').filter(([status = '']) => /^\d{3}$/.test(status));
    const described = Object.fromEntries(
      rows.map(([status, name, title]) => [code(name)[0], { status: Number(status), title }]),
    );
    const existing = Object.entries(errorCatalog).map(([name, { status, title }]) => [name, { status, title }]);
    expect(described).toEqual(Object.fromEntries(existing));
  });

  it('have every reason for which an SMS fails', () => {
    // Behind the table's head, in rows of three cells; the fields of a request have `yes` in the second one.
    const rows = tableRows('docs/guide/sms.md').filter(
      ([, meaning, remedy]) => remedy && !/^(yes|meaning|required)$/.test(meaning ?? ''),
    );
    const described = rows.flatMap(([name]) => code(name));
    expect(described.sort()).toEqual([...SMS_ERROR_CODES].sort());
  });

  it('have every scope with the operations that it allows', () => {
    const rows = tableRows('docs/guide/tokens.md').filter(([, what = '']) => /`(GET|POST) |^nothing/.test(what));
    const described = Object.fromEntries(rows.map(([scope, what]) => [code(scope)[0] ?? scope, code(what).sort()]));
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, { security: { token: string[] }[] }>>;
    };
    const existing: Record<string, string[]> = {
      ...Object.fromEntries(Object.keys(SCOPES).map((scope) => [scope, []])),
    };
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { security }] of Object.entries(operations))
        (existing[security[0]?.token[0] ?? 'any valid token'] ??= []).push(`${method.toUpperCase()} ${path}`);
    for (const operations of Object.values(existing)) operations.sort();
    expect(described).toEqual(existing);
  });
});

describe("tables of the operators' handbook", () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  it('have every metric of API and worker', async () => {
    const worker = await NestFactory.createApplicationContext(WorkerModule.with(api.database.config), {
      logger: false,
    });
    try {
      const names = await Promise.all(
        [api.app.get(InternalListenerService), worker.get(InternalListenerService)].map(metricsOf),
      );
      const existing = new Set(names.flat().filter((name) => !/^(process|nodejs)_/.test(name)));
      const rows = tableRows('docs/handbook/monitoring.md').filter(([, of]) =>
        /^(API|worker|API, worker)$/.test(of ?? ''),
      );
      expect(rows.flatMap(([name]) => code(name)).sort()).toEqual([...existing].sort());
    } finally {
      await worker.close();
    }
  });

  it('have every warning and error of the log', () => {
    const files = readSourceFiles().filter(({ path }) =>
      /^(libs|apps\/(customer-api|worker|operator))\/.*(?<![.]spec)[.]ts$/.test(path),
    );
    const messages = files.flatMap(({ path }) => logMessages(path));
    expect(messages.length).toBeGreaterThan(30);
    const rows = tableRows('docs/handbook/incidents.md').filter(([level]) => level === 'error' || level === 'warn');
    const described = rows.map(([level, text]) => `${level}: ${code(text)[0]}`);
    const existing = new Set(messages.map(({ level, text }) => `${level}: ${text}`));
    expect([...existing].filter((message) => !described.includes(message))).toEqual([]);
    expect(described.filter((message) => !existing.has(message))).toEqual([]);
  });
});

async function metricsOf({ server }: InternalListenerService): Promise<string[]> {
  const { port } = server.server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
}
