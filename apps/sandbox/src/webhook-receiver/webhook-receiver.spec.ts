import { Webhook } from 'standardwebhooks';
import { type Sandbox, startSandbox } from '../sandbox';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe("The sandbox's receiver of webhooks", () => {
  let sandbox: Sandbox;
  beforeAll(async () => (sandbox = await startSandbox()));
  afterAll(() => sandbox.close());
  beforeEach(() => sandbox.webhooks.reset());

  const body = JSON.stringify({ id: 'e1', type: 'ticket.replied', data: { title: '<b>A & B</b>' } });
  const setSecrets = (text: string) => fetch(`${sandbox.urls.webhooks}/secrets`, { method: 'PUT', body: text });
  const send = (secret: string, at = new Date(), sent = body) =>
    fetch(`${sandbox.urls.webhooks}/hook`, {
      method: 'POST',
      body: sent,
      headers: {
        'webhook-id': 'e1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign('e1', at, body),
      },
    });
  const page = async () => (await fetch(`${sandbox.urls.webhooks}/`)).text();

  it('accepts what the public library has signed with a secret that it knows, and shows it', async () => {
    expect((await setSecrets(JSON.stringify(['whsec_b3RoZXI=', SECRET]))).status).toBe(204);
    expect([(await send(SECRET)).status, (await send(SECRET)).status]).toEqual([204, 204]);
    const shown = await page();
    expect(shown).toContain('signature holds');
    expect(shown).toContain('repetition 1');
    expect(shown).toContain('&#60;b&#62;A &#38; B');
    expect(await (await fetch(`${sandbox.urls.webhooks}/received`)).json()).toHaveLength(2);
  });

  it.each<[string, () => Promise<Response>, string]>([
    ['with another secret', () => send('whsec_b3RoZXI='), 'wrong signature'],
    ['of another body', () => send(SECRET, new Date(), `${body} `), 'wrong signature'],
    ['that is old', () => send(SECRET, new Date(Date.now() - 600_000)), 'too old'],
  ])('refuses a signature %s', async (_, sending, verdict) => {
    await setSecrets(JSON.stringify([SECRET]));
    expect((await sending()).status).toBe(401);
    expect(await page()).toContain(verdict);
  });

  it('refuses everything before it knows a secret, and what is no list of secrets', async () => {
    expect((await send(SECRET)).status).toBe(401);
    expect(await page()).toContain('no secret known');
    expect((await setSecrets('{"a":1}')).status).toBe(400);
    expect((await setSecrets('nothing')).status).toBe(400);
  });
});
