import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { globSync, readFileSync, statSync } from 'node:fs';
import { OperatorAccountsService, OperatorSessionsService } from '@platform/operator-accounts';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { operatorCommand } from '@test/operator-command';
import { type ConsoleVisitor, visitConsole } from '@test/operator-console';

/** A script in each way in which a text may become one, and characters that turn or hide text. */
const HOSTILE_TEXT = `<script>window.stolen = 1</script><img src=x onerror="window.stolen = 1">
javascript:window.stolen=1 {{7*7}} \u202eevil\u202c \u2066hidden\u2069 \u200b`;

describe("The operator's console against attacks", () => {
  let api: TestOperatorApi;
  let kari: ConsoleVisitor;
  let evil: Server;
  let customerId: string;

  beforeAll(async () => {
    api = await startOperatorApi({ SECRETS_KEY: randomBytes(32).toString('base64') });
    kari = await visitConsole(api);
    customerId = (await saveFakeCustomer(api.superuser)).id;
    // A page of somebody else that the person looks at beside the console.
    evil = createServer((request, reply) => {
      void reply.setHeader('content-type', 'text/html');
      reply.end(request.url === '/frame' ? `<iframe src="${api.origin}/"></iframe>` : FORGERIES(api.origin));
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  }, 240_000);
  afterAll(async () => {
    await kari.stop();
    evil.close();
    await api.stop();
  });

  beforeEach(() => void (kari.complaints.length = 0));
  const sessionsOf = async (name: string) => {
    const account = await api.app.get(OperatorAccountsService).find(`${name}@example.com`);
    return { account, sessions: api.app.get(OperatorSessionsService) };
  };
  const login = () => kari.page.getByRole('button', { name: 'Log in with a passkey' });

  it.each(['localhost', '127.0.0.1'])('is not moved by the forms and scripts of a page on %s', async (host) => {
    await kari.logIn('admin');
    const page = await kari.browser.newPage();
    const sent: string[] = [];
    const statuses: number[] = [];
    page.on('request', (request) => request.url().startsWith(api.origin) && sent.push(request.method()));
    page.on('response', (reply) => {
      if (reply.request().method() === 'POST') statuses.push(reply.status());
    });
    await page.goto(`http://${host}:${(evil.address() as AddressInfo).port}/`);
    await page.waitForURL(`${api.origin}/**`);
    await page.close();
    const { rows } = await api.superuser.query(`select name from customer where name like 'Forged%'`);
    expect(rows).toEqual([]);
    expect(sent.filter((method) => method === 'POST').length).toBeGreaterThanOrEqual(2);
    expect(statuses.length).toBeGreaterThan(0);
    // 503: one that was still read when others of the network waited for their turn.
    expect(statuses.filter((status) => ![401, 403, 503].includes(status))).toEqual([]);
    await kari.open('/customers');
    await kari.page.getByRole('button', { name: 'Add a customer' }).waitFor();
  });

  it('is shown in no frame', async () => {
    const page = await kari.browser.newPage();
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.goto(`http://localhost:${(evil.address() as AddressInfo).port}/frame`);
    await refused;
    expect(page.frames().filter((frame) => frame.url().startsWith(api.origin))).toEqual([]);
    await page.close();
  });

  it('shows scripts in texts as texts, and characters that turn text by their numbers', async () => {
    const id = randomUUID();
    await api.superuser.query(
      `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'Title ' || $3::text, $3)`,
      [...[customerId, id, HOSTILE_TEXT]],
    );
    await kari.logIn('support');
    await kari.open(`/tickets/${id}/show`);
    await kari.page.getByText('javascript:window.stolen=1 {{7*7}} ⟨U+202E⟩evil⟨U+202C⟩').first().waitFor();
    expect(await kari.page.evaluate(`'stolen' in window`)).toBe(false);
    expect(await kari.page.content()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
    await kari.open('/tickets');
    await kari.page.getByText('⟨U+202E⟩evil').first().waitFor();
    expect(await kari.page.evaluate(`'stolen' in window`)).toBe(false);
    expect(kari.complaints).toEqual([]);
  });

  it('fills in no form with what a link says, neither fields that are shown nor others', async () => {
    await kari.logIn('admin');
    const customer = await saveAiCustomer(api.superuser, { model: await saveModelPrice(api.superuser) });
    const values = { included_nok: 100_000, enabled: false, provider_key: 'sk-of-somebody', note: 'As agreed' };
    await kari.open(`/customers/${customer}/show/ai?source=${encodeURIComponent(JSON.stringify(values))}`);
    const dialog = kari.page.getByRole('dialog');
    await kari.page.getByRole('button', { name: 'Add credit' }).click();
    expect(await dialog.getByLabel('Why').inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await kari.page.getByRole('button', { name: 'Provider key' }).click();
    await dialog.getByLabel('Key').and(kari.page.locator('input')).fill('sk-of-fjordlys');
    await dialog.getByRole('button', { name: 'Provider key' }).click();
    await kari.page.getByText('The key is stored').waitFor();
    const { rows } = await api.superuser.query(
      `select metadata from audit_log where customer_id = $1 and action = 'ai.configure'`,
      [customer],
    );
    expect(rows).toEqual([{ metadata: { own_key: 'set' } }]);
  });

  it('shows a token once, and keeps it nowhere', async () => {
    await kari.logIn('admin');
    await kari.open(`/customers/${customerId}/show/tokens`);
    await kari.page.getByRole('button', { name: 'Issue a token' }).click();
    await kari.page.getByRole('checkbox', { name: 'ai:read' }).check();
    await kari.page.getByRole('dialog').getByRole('button', { name: 'Issue a token' }).click();
    const token = await kari.page.locator('[data-secret=token]').innerText();
    expect(token).toMatch(/^cas_live_/);
    await kari.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await kari.page.getByRole('dialog').waitFor({ state: 'detached' });
    await kari.page.getByRole('menuitem', { name: 'Audit' }).click();
    await kari.page.getByText('token.issue').first().waitFor();
    const stored = await kari.page.evaluate<string>(`(async () => JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.documentElement.outerHTML,
      await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url))),
      (await indexedDB.databases()).map(({ name }) => name),
    ]))()`);
    expect(stored).toContain('token.issue');
    expect(stored).not.toContain(token);
    expect(await memoryOf(kari)).not.toContain(token);
    const files = globSync(`${kari.profile}/**`).filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((path) => readFileSync(path).includes(token))).toEqual([]);
    expect(kari.complaints).toEqual([]);
  });

  it('sends a person out whose sessions are ended, and shows nothing more', async () => {
    await kari.logIn('admin', 'leaver');
    await kari.open('/customers');
    await kari.page.getByRole('button', { name: 'Add a customer' }).waitFor();
    const { account, sessions } = await sessionsOf('leaver');
    await sessions.revokeAll('operator:test', account.id);
    await login().waitFor();
    expect(await kari.page.getByRole('button', { name: 'Add a customer' }).count()).toBe(0);
  });

  it('ends a session whose cookie another browser sends, and says so in the audit log', async () => {
    await kari.logIn('admin', 'robbed');
    const { name, value } = (await kari.browser.cookies(api.origin.replace('http:', 'https:')))[0]!;
    const thief = await fetch(`${api.baseUrl}/customers`, { headers: { cookie: `${name}=${value}` } });
    expect(thief.status).toBe(401);
    await kari.open('/audit');
    await login().waitFor();
    await kari.logIn('admin');
    await kari.open('/audit');
    await kari.page.getByText('reason: another browser sent its cookie').waitFor();
  });

  it('takes one decision of two people and the command line at once, and tells the others', async () => {
    const ola = await visitConsole(api);
    try {
      await Promise.all([kari.logIn('billing', 'kari'), ola.logIn('billing', 'ola')]);
      const customer = await saveAiCustomer(api.superuser, { model: await saveModelPrice(api.superuser) });
      const { rows } = await api.superuser.query<{ id: number }>(
        'insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 700, now()) returning id',
        [customer],
      );
      const id = rows[0]!.id;
      const words = ['credit-request', 'reject', '--id', String(id), '--reason', 'Too late', '--as', 'nils', '--yes'];
      await Promise.all([kari, ola].map((person) => person.open('/credit-requests')));
      await kari.page.getByRole('button', { name: 'Approve' }).click();
      await ola.page.getByRole('button', { name: 'Reject' }).click();
      await ola.page.getByLabel('Reason').fill('An invoice is overdue');
      const decide = async ({ page }: ConsoleVisitor, name: string) => {
        await page.getByRole('dialog').getByRole('button', { name }).click();
        const told = page.getByText(/is approved|is rejected|was approved|was rejected|had rejected/).first();
        await told.waitFor();
        return told.innerText();
      };
      // The first command loads the program, which would make it the last to decide.
      await operatorCommand(api.database, ['credit-request', 'list', '--json']);
      const [command, ...told] = await Promise.all([
        operatorCommand(api.database, words),
        decide(kari, 'Approve'),
        decide(ola, 'Reject'),
      ]);
      const decided = await api.superuser.query<{ status: string; decided: number; booked: number }>(
        `select status, (select count(*)::int from audit_log where customer_id = $1 and action ~ '^credit-request') as decided,
           (select count(*)::int from ai_ledger_entry where customer_id = $1 and kind = 'invoice_topup') as booked
         from ai_credit_request where id = $2`,
        [customer, id],
      );
      const isApproved = decided.rows[0]!.status === 'approved';
      expect(decided.rows).toEqual([expect.objectContaining({ decided: 1, booked: isApproved ? 1 : 0 })]);
      expect(told).toEqual(
        isApproved
          ? [`Request ${id} is approved. Write and send its invoice AI-${id}.`, expect.stringContaining('was approved')]
          : [
              expect.stringContaining('was rejected'),
              // The command line may have been first, with a reason of its own.
              expect.stringMatching(
                new RegExp(`^Request ${id} is rejected\\. |^operator:nils had rejected request ${id},`),
              ),
            ],
      );
      expect(command.code === 0).toBe(!isApproved);
    } finally {
      await ola.stop();
    }
  });
});

/** A page that tries to change something with the cookie of whoever looks at it: by scripts, and by a form. */
const FORGERIES = (origin: string) => `<!doctype html>
<form method="post" enctype="text/plain" action="${origin}/operator/v1/customers">
  <input name='{"name":"Forged by a form","organization_number":"974760673","email":"a@b.example","x":"' value='"}'>
</form>
<script>
  const body = '{"name":"Forged by a script","organization_number":"974760673","email":"a@b.example"}';
  const send = (options) => fetch('${origin}/operator/v1/customers', { method: 'POST', credentials: 'include', body, ...options }).catch(() => {});
  (async () => {
    await send({ mode: 'no-cors' });
    await send({ headers: { 'content-type': 'application/json' } });
    document.forms[0].submit();
  })();
</script>`;

/** The strings that the page's scripts hold, after the garbage is collected. */
async function memoryOf({ browser, page }: ConsoleVisitor): Promise<string> {
  const device = await browser.newCDPSession(page);
  const parts: string[] = [];
  device.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk));
  await device.send('HeapProfiler.collectGarbage');
  await device.send('HeapProfiler.takeHeapSnapshot', {});
  await device.detach();
  return parts.join('');
}
