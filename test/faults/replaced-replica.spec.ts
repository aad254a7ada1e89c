import type { ApiProcess } from '@test/api-process';
import { type AiStress, openAiStress } from '@test/ai-stress';
import { freePort } from '@test/free-port';
import { startLoad } from '@test/load';
import { describeWithNginx, startNginxWith } from '@test/nginx-proxy';

const CLIENTS = 24;
const REPLACEMENTS = Number(process.env.ACCEPT_REPLACEMENTS ?? 3);
const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 });

const post = (url: string, token: string) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: BODY,
  });

describeWithNginx('a replica that is replaced behind the proxy of the compose file', () => {
  let stress: AiStress;
  beforeAll(async () => (stress = await openAiStress()));
  afterAll(() => stress.close());

  it(
    'loses no POST, although the proxy keeps its connections',
    async () => {
      // As in the containers.
      const start = (PORT: string) => stress.start({ PORT, SHUTDOWN_IDLE_MS: '2000' });
      const ports = [String(await freePort()), String(await freePort())];
      const replicas = await Promise.all(ports.map(start));
      // As the limits of the API: one customer sends all.
      const proxy = await startNginxWith(
        { PROXY_REQUESTS_PER_SECOND: '0' },
        ...ports.map((port) => `http://127.0.0.1:${port}`),
      );
      const { id, token } = await stress.customer({ included: 1_000_000 });
      const load = startLoad(CLIENTS, () => post(`${proxy.baseUrl}/ai/messages`, token));
      for (let round = 0; round < REPLACEMENTS; round++) {
        const index = round % replicas.length;
        const { stop } = replicas[index] as ApiProcess;
        expect(await stop()).toEqual({ code: 0, signal: null });
        replicas[index] = await start(ports[index] as string);
      }
      const tally = await load.stop();
      await proxy.stop();
      expect(tally).toEqual({ 201: expect.any(Number) as number });
      expect(await stress.audit(id)).toMatchObject({ problems: [], reserved: 0, usages: tally[201], duplicates: 0 });
    },
    240_000 + REPLACEMENTS * 10_000,
  );
});
