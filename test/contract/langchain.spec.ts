import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { generateToken } from '@platform/tokens';
import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { CLIENTS, installClients } from '@test/client-packages';

const run = promisify(execFile);

const WAYS = ['invoke', 'stream'] as const;

interface Message {
  token: string;
  prompt: string;
  how: (typeof WAYS)[number];
}
interface Outcome {
  text: string;
  error?: { name: string; status?: number; message: string };
}

const BROKEN_OFF = 'The connection to the AI provider broke before the answer was complete. You were not charged';

describe('With LangChain', () => {
  let ai: AiApi;
  beforeAll(async () => {
    await installClients();
    ai = await startAiApi();
  }, 300_000);
  afterAll(() => ai.stop());

  /** Sends messages with a program of LangChain's user, one after the other. */
  async function send(messages: Message[]): Promise<Outcome[]> {
    const { stdout } = await run(process.execPath, [resolve(CLIENTS, 'langchain.messages.ts')], {
      env: { ...process.env, NODE_OPTIONS: '', CALLER: JSON.stringify({ baseUrl: ai.api.baseUrl, messages }) },
    });
    return JSON.parse(stdout) as Outcome[];
  }

  const chargesOf = async (customerId: string) => {
    const { rows } = await ai.api.superuser.query('select from ai_usage where customer_id = $1', [customerId]);
    return rows.length;
  };

  it('messages are answered, whole and streamed', async () => {
    const { customer, token } = await createAiCaller(ai, { included: 50 });
    const answers = await send(WAYS.map((how) => ({ token: token.token, prompt: 'Hello', how })));
    expect(answers).toEqual(WAYS.map(() => ({ text: expect.stringMatching(/./) })));
    expect(answers[0]).toEqual(answers[1]);
    expect(await chargesOf(customer.id)).toBe(2);
  }, 240_000);

  it.each(WAYS)(
    'refusals have our texts and the status: %s',
    async (how) => {
      const [rich, poor, disabled] = [
        await createAiCaller(ai, { included: 50 }),
        await createAiCaller(ai, { included: 0 }),
        await createAiCaller(ai, { enabled: false }),
      ];
      const refusals = [
        [poor.token.token, 'Hello', 402, 'Your AI credit does not cover this message'],
        [disabled.token.token, 'Hello', 403, 'AI is not enabled for you; ask the operator'],
        [generateToken(), 'Hello', 401, 'The token is unknown on this server'],
        [rich.token.token, '[[sandbox:status=400]]', 400, 'The AI provider rejected the request: '],
        [rich.token.token, '[[sandbox:status=429]]', 529, 'The AI provider failed. You were not charged'],
        [rich.token.token, '[[sandbox:status=529]]', 529, 'The AI provider failed. You were not charged'],
        [rich.token.token, '[[sandbox:status=401]]', 502, 'You were not charged'],
      ] as const;
      const outcomes = await send(refusals.map(([token, prompt]) => ({ token, prompt, how })));
      expect(outcomes).toEqual(
        refusals.map(([, , status, text]) => ({
          text: '',
          error: expect.objectContaining({ status, message: expect.stringContaining(text) }),
        })),
      );
    },
    240_000,
  );

  it('a stream that breaks off is an error with our text, after what had come', async () => {
    const { customer, token } = await createAiCaller(ai, { included: 50 });
    const faults = {
      'stream-cut=6': BROKEN_OFF,
      'stream-close=6': BROKEN_OFF,
      'stream-error=overloaded_error': 'The AI provider failed before the answer was complete. You were not charged',
    };
    const prompt = 'A text that takes some more events than one or two. '.repeat(3);
    const outcomes = await send(
      Object.keys(faults).map((fault) => ({
        token: token.token,
        prompt: `[[sandbox:${fault}]]${prompt}`,
        how: 'stream',
      })),
    );
    expect(outcomes).toEqual(
      Object.values(faults).map((text) => ({
        text: expect.stringMatching(/./),
        error: expect.objectContaining({ message: expect.stringContaining(text) }),
      })),
    );
    expect(await chargesOf(customer.id)).toBe(0);
  }, 240_000);
});
