import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { generateToken } from '@platform/tokens';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';

const run = promisify(execFile);
const CLIENTS = 'test/contract/clients';

interface Outcome {
  text?: string;
  streamed?: string;
  error?: { name: string; status: number; message: string };
}

describe('With LangChain', () => {
  let ai: AiApi;
  beforeAll(async () => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    await run(process.execPath, ['test/support/install-if-stale.mjs', CLIENTS], { env });
    ai = await startAiApi();
  }, 300_000);
  afterAll(() => ai.stop());

  /** Sends messages with a program of LangChain's user, one after the other. */
  async function send(messages: { token: string; prompt: string }[]): Promise<Outcome[]> {
    const { stdout } = await run(process.execPath, [resolve(CLIENTS, 'langchain.messages.ts')], {
      env: { ...process.env, NODE_OPTIONS: '', CALLER: JSON.stringify({ baseUrl: ai.api.baseUrl, messages }) },
    });
    return JSON.parse(stdout) as Outcome[];
  }

  it('messages are answered, whole and streamed, and errors have our texts and the status', async () => {
    const [rich, poor, disabled] = [
      await createAiCaller(ai, { included: 50 }),
      await createAiCaller(ai, { included: 0 }),
      await createAiCaller(ai, { enabled: false }),
    ];
    const [answered, ...refused] = await send([
      { token: rich.token.token, prompt: 'Hello' },
      { token: poor.token.token, prompt: 'Hello' },
      { token: disabled.token.token, prompt: 'Hello' },
      { token: generateToken(), prompt: 'Hello' },
      { token: rich.token.token, prompt: '[[sandbox:status=400]]' },
      { token: rich.token.token, prompt: '[[sandbox:status=529]]' },
      { token: rich.token.token, prompt: '[[sandbox:status=401]]' },
    ]);
    expect(answered).toEqual({ text: expect.stringMatching(/./), streamed: expect.stringMatching(/./) });
    expect(refused.map(({ error }) => error)).toEqual(
      (
        [
          [402, 'Your AI credit does not cover this message'],
          [403, 'AI is not enabled for you; ask the operator'],
          [401, 'The token is unknown on this server'],
          [400, 'The AI provider rejected the request: '],
          [529, 'The AI provider failed. You were not charged'],
          [502, 'You were not charged'],
        ] as const
      ).map(([status, text]) => expect.objectContaining({ status, message: expect.stringContaining(text) })),
    );
  }, 60_000);
});
