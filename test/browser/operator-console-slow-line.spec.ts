import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { OperatorSessionsService } from '@platform/operator-accounts';
import { startOperatorApi, type TestOperatorApi } from '@test/operator-api';
import { type ConsoleVisitor, holdPasskeys, visitConsole } from '@test/operator-console';
import { RequestPlacesService } from '../../apps/operator-api/src/access/request-places.service';

/** How long a list waits for more of a search before it becomes part of the address, in milliseconds. */
const SEARCH_DELAY_MS = 500;
/** How long the console waits before it asks for code again. */
const RETRY_MS = 2_000;
/** How often a page reads its record again, in milliseconds. */
const REFRESH_MS = 4_000;
/** How long a notice is shown, in milliseconds. */
const NOTICE_MS = 6_000;
/** The code of a customer's page. */
const CODE = '**/customer-page-*.js';

/** Holds back the code of a customer's page. @returns a promise for the first request for it, and what lets it go */
async function holdBackCode(page: Page): Promise<{ asked: Promise<unknown>; release: () => void }> {
  const gate = Promise.withResolvers<void>();
  await page.route(CODE, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return {
    asked: page.waitForRequest(CODE),
    release: () => gate.resolve(),
  };
}

describe("The operator's console on a slow line", () => {
  let api: TestOperatorApi;
  let kari: ConsoleVisitor;
  let customerId: string;
  beforeAll(async () => {
    api = await startOperatorApi();
    customerId = (await saveFakeCustomer(api.superuser, { name: 'Fjordlys AS' })).id;
    kari = await visitConsole(api);
    await kari.page.clock.install();
    await kari.logIn('admin');
  }, 240_000);
  afterAll(async () => {
    await kari.stop();
    await api.stop();
  });
  // A page of its own each time, which has not yet any code but that of the first page.
  beforeEach(async () => {
    await kari.page.unrouteAll({ behavior: 'ignoreErrors' });
    await kari.page.goto('about:blank');
    await kari.open('/customers');
  });
  afterEach(() => expect(kari.complaints).toEqual([]));

  const button = (name: string) => kari.page.getByRole('button', { name, exact: true }).first();
  const dialog = () => kari.page.getByRole('dialog');
  const customer = () => kari.page.getByRole('cell', { name: 'Fjordlys AS' });
  const search = (text: string) => kari.page.getByPlaceholder('name, number, organisation number or e-mail').fill(text);
  const expectCustomerPage = async () => {
    await kari.page.getByRole('tab', { name: 'Overview' }).waitFor();
    expect(kari.page.url()).toContain(`/customers/${customerId}/show`);
  };

  it('shows the customer that was clicked right after a search was typed, when its page has come', async () => {
    const code = await holdBackCode(kari.page);
    await search('fjord');
    await customer().click();
    await code.asked;
    await kari.page.clock.fastForward(2 * SEARCH_DELAY_MS);
    code.release();
    await expectCustomerPage();
  });

  it('shows at once that the page of a customer is on its way', async () => {
    const code = await holdBackCode(kari.page);
    await customer().click();
    await code.asked;
    await customer().waitFor({ state: 'detached' });
    code.release();
    await expectCustomerPage();
  });

  it('shows the page of a customer whose code was lost on its way', async () => {
    await kari.page.route(CODE, (route) => route.abort('connectionreset'), { times: 1 });
    await customer().click();
    await expectCustomerPage();
    expect(kari.complaints.splice(0)).toEqual([expect.stringContaining('ERR_CONNECTION_RESET')]);
  });

  it('shows the page of a customer whose code did not come when the service is back', async () => {
    const away = ({ pathname }: URL) => pathname.startsWith('/operator/v1/') || pathname.includes('/customer-page-');
    await kari.page.route(away, (route) => route.abort('connectionrefused'));
    const askedWhetherThere = () => kari.page.waitForRequest('**/login/methods');
    await Promise.all([askedWhetherThere(), customer().click()]);
    await Promise.all([askedWhetherThere(), kari.page.clock.fastForward(RETRY_MS)]);
    await kari.page.unroute(away);
    await kari.page.clock.fastForward(RETRY_MS);
    await expectCustomerPage();
    expect(new Set(kari.complaints.splice(0).map((text) => /ERR_\w+/.exec(text)?.[0]))).toEqual(
      new Set(['ERR_CONNECTION_REFUSED']),
    );
  });

  it('is itself again when the service answers, though it did not when the page was loaded: with the menu of its person', async () => {
    await kari.page.route('**/operator/v1/session', (route) => route.fulfill({ status: 503 }));
    await kari.page.reload();
    const notice = kari.page.getByText('The service does not answer at the moment');
    await notice.waitFor();
    const read = (status: number) =>
      kari.page.waitForResponse((reply) => reply.url().endsWith('/session') && reply.status() === status);
    // Also what asks once more by itself, such as who the person is.
    for (let time = 0; time < 2; time++) await Promise.all([read(503), kari.page.clock.fastForward(REFRESH_MS)]);
    await kari.page.unrouteAll({ behavior: 'ignoreErrors' });
    await Promise.all([read(200), kari.page.clock.fastForward(REFRESH_MS)]);
    await notice.waitFor({ state: 'hidden' });
    await kari.page.getByRole('menuitem', { name: 'Accounts' }).waitFor();
  });

  describe('when an open page reads its record again, and the service does not answer once', () => {
    /** Waits until it was read in vain, and then with success. */
    async function failOneRead(path: string): Promise<void> {
      const read = (status: number) =>
        kari.page.waitForResponse((reply) => reply.url().endsWith(path) && reply.status() === status);
      await kari.page.route(`**/operator/v1/${path}`, (route) => route.fulfill({ status: 503 }), { times: 1 });
      await Promise.all([read(503), kari.page.clock.fastForward(REFRESH_MS)]);
      await Promise.all([read(200), kari.page.clock.fastForward(REFRESH_MS)]);
      await kari.settled();
    }

    it('keeps the reply that somebody writes', async () => {
      const id = randomUUID();
      await api.superuser.query(
        `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'No SMS', 'None came')`,
        [customerId, id],
      );
      await kari.open(`/tickets/${id}/show`);
      await kari.page.getByLabel('Reply').fill('They are sent again');
      await failOneRead(`tickets/${id}`);
      expect(kari.page.url()).toContain(`/tickets/${id}/show`);
      expect(await kari.page.getByLabel('Reply').inputValue()).toBe('They are sent again');
    });

    it('keeps the token that is shown once', async () => {
      await kari.open(`/customers/${customerId}/show/tokens`);
      await button('Issue a token').click();
      await dialog().getByLabel('Purpose').fill('ERP');
      await dialog().getByRole('button', { name: 'Issue a token' }).click();
      const token = await kari.page.locator('[data-secret=token]').innerText();
      await failOneRead(`customers/${customerId}`);
      expect(await kari.page.locator('[data-secret=token]').innerText()).toBe(token);
    });

    it('shows the page of an address that was opened meanwhile, as soon as the service answers', async () => {
      await kari.page.route(`**/operator/v1/customers/${customerId}`, (route) => route.fulfill({ status: 503 }), {
        times: 1,
      });
      await kari.page.goto(`${api.origin}/#/customers/${customerId}/show`);
      await kari.page.waitForResponse((reply) => reply.status() === 503);
      await kari.page.clock.fastForward(REFRESH_MS);
      await expectCustomerPage();
    });
  });

  it('says of a list that could not be read that it could not, and of what is shown since when it is old', async () => {
    const refused = { status: 403, contentType: 'application/problem+json' };
    const body = JSON.stringify({ title: 'Forbidden', status: 403, code: 'forbidden', detail: 'It is not for you' });
    const isRead = ({ pathname }: URL) => /\/(prices|today|overview|storage)$/.test(pathname);
    await kari.open('/');
    await kari.page.getByText('Credit requests to decide').waitFor();
    await kari.page.route(isRead, (route) => route.fulfill({ ...refused, body }));
    await Promise.all([kari.page.waitForResponse('**/today'), kari.page.clock.fastForward(REFRESH_MS)]);
    await kari.page.getByText(/^Not read again since .*: It is not for you$/).waitFor();
    await kari.page.getByText('Credit requests to decide').waitFor();
    await kari.open('/prices');
    await kari.page.getByRole('main').getByText('It is not for you').waitFor();
    expect(await kari.page.getByText('There is nothing here').count()).toBe(0);
    await kari.open('/installation');
    await kari.page.getByRole('main').getByText('It is not for you').waitFor();
    expect(new Set(kari.complaints.splice(0).map((text) => /403/.exec(text)?.[0]))).toEqual(new Set(['403']));
  });

  it('shows a notice for its whole time, also when it comes while another one is shown', async () => {
    await kari.open(`/customers/${customerId}/show`);
    const change = async () => {
      await button('Change').click();
      await dialog().getByRole('button', { name: 'Change', exact: true }).click();
      await dialog().waitFor({ state: 'detached' });
    };
    const notice = kari.page.getByText('Nothing was changed');
    await change();
    await notice.waitFor();
    await kari.page.clock.fastForward(NOTICE_MS - 2_000);
    await change();
    await notice.waitFor();
    // The time of the first one is over. What closes then is gone a little later.
    for (const more of [2_500, 500]) await kari.page.clock.fastForward(more);
    await kari.settled();
    expect(await notice.count()).toBe(1);
  });

  it('leads to the list from the page of a record that there is not', async () => {
    await kari.open(`/tickets/${randomUUID()}/show`);
    await kari.page.getByText('Element does not exist').waitFor();
    expect(kari.page.url()).toMatch(/#\/tickets\b(?!\/)/);
    expect(kari.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  describe('while a person logs in again in a form', () => {
    beforeAll(async () => {
      await kari.logIn('admin');
      await holdPasskeys(kari);
      await kari.page.getByLabel('Name of the device').fill('Laptop');
      await button('Add a passkey').click();
      await kari.page.getByRole('cell', { name: 'Laptop' }).waitFor();
    });
    beforeEach(async () => {
      await api.superuser.query(`update operator_session set created_at = now() - interval '6 minutes'`);
      await kari.open(`/customers/${customerId}/show/tokens`);
      await button('Issue a token').click();
      await dialog().getByLabel('Purpose').fill('Accounting');
      await dialog().getByRole('button', { name: 'Only read', exact: true }).click();
    });
    afterEach(() => jest.restoreAllMocks());

    const refused = () => kari.page.waitForResponse((reply) => reply.status() === 401);
    const expectToken = async () => {
      await button('Log in again with a passkey and issue a token').click();
      expect(await kari.page.locator('[data-secret=token]').innerText()).toMatch(/^cas_live_/);
      await dialog().getByRole('button', { name: 'Close' }).click();
      await kari.page.getByRole('cell', { name: 'Accounting' }).first().waitFor();
      expect(kari.page.url()).toContain(`/customers/${customerId}/show/tokens`);
    };

    it('sends the form though a read from before the login is refused behind it', async () => {
      const places = api.app.get(RequestPlacesService);
      const admit = places.admitStranger.bind(places);
      const gate = Promise.withResolvers<void>();
      const held = new Promise<void>((resolve) => {
        jest.spyOn(places, 'admitStranger').mockImplementation(async (request, reply) => {
          if (request.method === 'GET' && request.url.startsWith('/operator/v1/tokens?')) {
            resolve();
            await gate.promise;
          }
          await admit(request, reply);
        });
      });
      await kari.page.clock.fastForward(REFRESH_MS);
      await held;
      const late = refused();
      void kari.page.waitForResponse('**/login/passkey/verify').then(() => gate.resolve());
      // The form itself is sent after that.
      await kari.page.route('**/operator/v1/tokens', async (route) => {
        await late;
        await route.continue();
      });
      await expectToken();
    });

    it('sends the form though reads are refused while the reply to the login is on its way', async () => {
      const sessions = api.app.get(OperatorSessionsService);
      const begin = sessions.begin.bind(sessions);
      jest.spyOn(sessions, 'begin').mockImplementationOnce(async (...login) => {
        const secret = await begin(...login);
        // The former session has ended, and the browser has its cookie still.
        await Promise.all([refused(), kari.page.clock.fastForward(REFRESH_MS)]);
        return secret;
      });
      await expectToken();
    });
  });

  describe('when the reply to a change is lost', () => {
    async function addCredit(note: string): Promise<void> {
      await button('Add credit').click();
      await dialog().getByLabel('Amount in NOK').fill('500');
      await dialog().getByLabel('Why').fill(note);
      await dialog().getByRole('button', { name: 'Add credit', exact: true }).click();
    }
    /** The operator API does what it is asked for, and the reply does not arrive. */
    const loseReplies = (path: string, times: number) =>
      kari.page.route(
        `**/operator/v1/${path}`,
        async (route) => {
          await route.fetch();
          await route.abort('connectionreset');
        },
        { times },
      );
    const booked = async () =>
      (
        await api.superuser.query('select amount::float, note from ai_ledger_entry where customer_id = $1', [
          customerId,
        ])
      ).rows;
    beforeAll(async () => enableAi(api.superuser, customerId, { model: await saveModelPrice(api.superuser) }));
    beforeEach(() => kari.open(`/customers/${customerId}/show/ai`));
    afterEach(() => {
      const complaints = kari.complaints.splice(0).filter((complaint) => !/400|409|429/.test(complaint));
      expect(complaints).toEqual([expect.stringContaining('ERR_CONNECTION_RESET')]);
    });

    it('books an amount once, however often the same form is sent until an answer comes', async () => {
      await loseReplies(`customers/${customerId}/ai/credit`, 1);
      await addCredit('Goodwill');
      await dialog().getByText('it is not known whether this was done').waitFor();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await addCredit('Goodwill');
      await kari.page.getByText('The attempt before, whose answer was lost, had done this').waitFor();
      expect(await booked()).toEqual([{ amount: 500, note: 'Goodwill' }]);
      // Its outcome is known now: the same again is another one.
      await addCredit('Goodwill');
      await kari.page.getByText('The credit is booked').waitFor();
      expect(await booked()).toHaveLength(2);
    });

    it('books an amount once if a later attempt is refused before its key is looked at', async () => {
      const before = (await booked()).length;
      await loseReplies(`customers/${customerId}/ai/credit`, 1);
      await addCredit('Discount');
      await dialog().getByText('it is not known whether this was done').waitFor();
      const refusal = { title: 'Too many requests', status: 429, code: 'rate_limited', detail: 'Try again soon' };
      await kari.page.route(
        `**/operator/v1/customers/${customerId}/ai/credit`,
        (route) =>
          route.fulfill({ status: 429, contentType: 'application/problem+json', body: JSON.stringify(refusal) }),
        { times: 1 },
      );
      const again = dialog().getByRole('button', { name: 'Add credit', exact: true });
      await again.click();
      await dialog().getByText('Try again soon').waitFor();
      await again.click();
      await kari.page.getByText('The attempt before, whose answer was lost, had done this').waitFor();
      expect(await booked()).toHaveLength(before + 1);
    });

    it('sends a form anew once it has said that the attempt before was done and its reply was not kept', async () => {
      const path = `**/operator/v1/customers/${customerId}/export`;
      const keys: unknown[] = [];
      kari.page.on('request', (request) => {
        if (request.url().endsWith('/export')) keys.push(request.headers()['idempotency-key']);
      });
      await kari.open(`/customers/${customerId}/show`);
      await loseReplies(`customers/${customerId}/export`, 1);
      await button('Export all data').click();
      const send = dialog().getByRole('button', { name: 'Export', exact: true });
      await send.click();
      await dialog().getByText('it is not known whether this was done').waitFor();
      const refusal = { title: 'Done', status: 409, code: 'idempotency_reply_not_kept', detail: 'It was done once' };
      await kari.page.route(
        path,
        (route) =>
          route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify(refusal) }),
        { times: 1 },
      );
      await send.click();
      await dialog().getByText('It was done once').waitFor();
      await Promise.all([kari.page.waitForEvent('download'), send.click()]);
      expect(keys).toHaveLength(3);
      expect(keys[1]).toBe(keys[0]);
      expect(keys[2]).not.toBe(keys[0]);
    });

    it('books an amount once, also when the console is loaded anew meanwhile', async () => {
      const before = (await booked()).length;
      await loseReplies(`customers/${customerId}/ai/credit`, 1);
      await addCredit('Outage in May');
      await dialog().getByText('it is not known whether this was done').waitFor();
      await kari.page.reload();
      expect(await kari.page.evaluate('JSON.stringify(sessionStorage)')).not.toMatch(/Outage|credit/);
      await addCredit('Outage in May');
      await kari.page.getByText('The attempt before, whose answer was lost, had done this').waitFor();
      expect(await booked()).toHaveLength(before + 1);
    });

    it('sends nothing a day later, when nobody can say any more whether it was done, but says so', async () => {
      const before = (await booked()).length;
      await loseReplies(`customers/${customerId}/ai/credit`, 1);
      await addCredit('Outage in June');
      await dialog().getByText('it is not known whether this was done').waitFor();
      await kari.page.clock.fastForward('24:00:00');
      const send = dialog().getByRole('button', { name: 'Add credit', exact: true });
      await send.click();
      await dialog().getByText('Nothing was sent: you sent the same a day ago').waitFor();
      expect(await booked()).toHaveLength(before + 1);
      await send.click();
      await kari.page.getByText('The credit is booked').waitFor();
      expect(await booked()).toHaveLength(before + 2);
    });

    it('says of a change that is refused then that the attempt before may have done it', async () => {
      await saveFakeService(api.superuser, customerId, { name: 'Web server', config: { disk_gb: 50 } });
      await kari.open(`/customers/${customerId}/show/services`);
      await loseReplies('services/*', 1);
      await kari.page.locator('tr').filter({ hasText: 'Web server' }).getByRole('button', { name: 'Change' }).click();
      await dialog().getByRole('button', { name: 'Settings for programs' }).click();
      await dialog().getByLabel('A JSON object').fill('{"disk_gb": 80}');
      const send = dialog().getByRole('button', { name: 'Change', exact: true });
      await send.click();
      await dialog().getByText('it is not known whether this was done. Look whether it was').waitFor();
      await send.click();
      await dialog().getByText('The attempt before, whose answer was lost, may have done this').waitFor();
    });

    it('forgets what was sent when the person logs out', async () => {
      const kept = () => kari.page.evaluate(`sessionStorage.getItem('operator-unknown-outcomes')`);
      await loseReplies(`customers/${customerId}/ai/credit`, 1);
      await addCredit('Outage in July');
      await dialog().getByText('it is not known whether this was done').waitFor();
      expect(await kept()).toContain('key');
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await button('admin').click();
      await kari.page.getByRole('menuitem', { name: 'Logout' }).click();
      await button('Log in with a passkey').waitFor();
      expect(await kept()).toBeNull();
      await kari.logIn('admin');
    });

    describe('to a ticket', () => {
      let path: string;
      const field = () => kari.page.getByLabel('Reply');
      const send = () => button('Send the reply').click();
      const replies = async () =>
        (await api.superuser.query('select body from support_ticket_reply where customer_id = $1', [customerId])).rows;
      beforeEach(async () => {
        const id = randomUUID();
        await api.superuser.query('delete from support_ticket_reply where customer_id = $1', [customerId]);
        await api.superuser.query(
          `insert into support_ticket (customer_id, id, title, body) values ($1, $2, 'No SMS', 'None came')`,
          [customerId, id],
        );
        path = `tickets/${id}`;
        await kari.open(`/${path}/show`);
      });

      it.each([
        ['edited, and edited back,', () => field().fill('They are sent')],
        ['written again after the console was loaded anew', () => kari.page.reload()],
      ])('sends a reply once that was %s meanwhile', async (_how, meanwhile) => {
        await loseReplies(`${path}/reply`, 1);
        await field().fill('They are sent again');
        await send();
        await kari.page.getByText('it is not known whether this was done').waitFor();
        // What the page shows is newer then than what was seen before the first attempt.
        await kari.page.clock.fastForward(REFRESH_MS);
        await kari.page.getByText(/^Operator \(admin\),/).waitFor();
        await meanwhile();
        expect(await kari.page.evaluate('JSON.stringify(sessionStorage)')).not.toMatch(/sent again|ticket/);
        await field().fill('They are sent again');
        await send();
        await kari.page.getByText('The attempt before, whose answer was lost, had done this').waitFor();
        expect(await replies()).toEqual([{ body: 'They are sent again' }]);
      });

      it('sends a reply anew that was not done, and is refused since the ticket has changed', async () => {
        await kari.page.route(`**/operator/v1/${path}/reply`, (route) => route.abort('connectionreset'), { times: 1 });
        await field().fill('They are sent again');
        await send();
        await kari.page.getByText('it is not known whether this was done').waitFor();
        await api.superuser.query(
          `update support_ticket set updated_at = now() + interval '1 second' where customer_id = $1`,
          [customerId],
        );
        await Promise.all([kari.page.waitForResponse((reply) => reply.url().endsWith(path) && reply.ok()), send()]);
        await kari.page.getByText('Meanwhile the ticket was changed').waitFor();
        await kari.settled();
        await send();
        await kari.page.getByText('The reply is sent').waitFor();
        expect(await replies()).toHaveLength(1);
      });

      it('keeps what is typed while it is sent out of the field, which is emptied then', async () => {
        const gate = Promise.withResolvers<void>();
        await kari.page.route(`**/operator/v1/${path}/reply`, async (route) => {
          await gate.promise;
          await route.abort('connectionreset');
        });
        await field().fill('They are sent again');
        await send();
        await field().press('End');
        await kari.page.keyboard.type(' and again');
        gate.resolve();
        await kari.page.getByText('it is not known whether this was done').waitFor();
        expect(await field().inputValue()).toBe('They are sent again');
      });
    });

    it('says of deliveries that were queued by the attempt before that nothing was done now', async () => {
      const endpoint = randomUUID();
      await api.superuser.query(
        `insert into webhook_endpoint (customer_id, id, url, description, scopes, secret_ciphertext, created_at, updated_at)
         values ($1, $2, 'https://erp.example.com/hooks', 'ERP', '{}', '\\x00', now(), now())`,
        [customerId, endpoint],
      );
      await kari.open(`/webhook-endpoints/${endpoint}/show`);
      await loseReplies(`webhook-endpoints/${endpoint}/redeliver`, 1);
      await button('Send what failed').click();
      await dialog().getByLabel('Since').fill('2026-01-01T12:00');
      const again = dialog().getByRole('button', { name: 'Send what failed', exact: true });
      await again.click();
      await dialog().getByText('it is not known whether this was done').waitFor();
      await again.click();
      await dialog().getByText('0 deliveries wait to be sent').waitFor();
      await dialog().getByText('Nothing was done now').waitFor();
    });

    it('says of a file that it has not come', async () => {
      await kari.open(`/customers/${customerId}/show`);
      await loseReplies(`customers/${customerId}/export`, 1);
      await button('Export all data').click();
      await dialog().getByRole('button', { name: 'Export', exact: true }).click();
      await dialog().getByText('it is not known whether this was done').waitFor();
    });
  });
});
