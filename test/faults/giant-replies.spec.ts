import { type AiStress, openAiStress } from '@test/ai-stress';
import type { ApiProcess } from '@test/api-process';
import { watchWhile } from '@test/live-watch';
import { type GiantUpstream, startGiantUpstream } from '@test/giant-upstream';

const MEGABYTE = 1024 * 1024;
const CALLS = 40;

jest.setTimeout(240_000);

describe('forty replies of the AI provider at once', () => {
  let upstream: GiantUpstream;
  let stress: AiStress;
  let api: ApiProcess;
  let token: string;

  beforeAll(async () => {
    upstream = await startGiantUpstream();
    stress = await openAiStress({ ANTHROPIC_BASE_URL: upstream.url, AI_UPSTREAM_TIMEOUT_MS: '30000' });
    api = await stress.start();
    ({ token } = await stress.customer({ purchased: 1_000_000 }));
    await upstream.reply(100);
    for (let call = 0; call < 20; call++) expect(await send(1_000)).toBe(201);
  });
  afterAll(async () => {
    await stress.close();
    await upstream.close();
  });

  const send = async (maxTokens: number) => {
    const reply = await fetch(`${api.baseUrl}/ai/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: maxTokens }),
    });
    await reply.arrayBuffer();
    return reply.status;
  };
  /** Sends forty messages at once, and monitors the process meanwhile. */
  async function overrun() {
    let statuses: number[] = [];
    const { liveMs, grownMegabytes } = await watchWhile(api, async () => {
      statuses = await Promise.all(Array.from({ length: CALLS }, () => send(21_333)));
    });
    return {
      statuses: [...new Set(statuses)],
      grownMegabytes,
      usualLiveMs: liveMs.toSorted((a, b) => a - b).at(liveMs.length / 2) ?? Infinity,
    };
  }

  it.each([
    ['announced', true],
    ['without a word', false],
  ])('that are giants, %s, are given up without harm', async (_, announced) => {
    await upstream.reply(16 * MEGABYTE, announced);
    const { statuses, grownMegabytes, usualLiveMs } = await overrun();
    expect(statuses).toEqual([502]);
    expect(grownMegabytes).toBeLessThan(300);
    expect(usualLiveMs).toBeLessThan(200);
  });

  it('that are as large as they may be are all handed over', async () => {
    await upstream.reply(2.8 * MEGABYTE);
    const { statuses, grownMegabytes, usualLiveMs } = await overrun();
    expect(statuses).toEqual([201]);
    expect(grownMegabytes).toBeLessThan(300);
    expect(usualLiveMs).toBeLessThan(200);
  });
});
