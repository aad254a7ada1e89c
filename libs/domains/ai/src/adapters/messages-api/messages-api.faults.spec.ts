import { loadConfig } from '@platform/config';
import { SecretRedactor } from '@platform/secrets';
import { UpstreamClientsService, UpstreamReply } from '@platform/upstream';
import {
  CREDENTIAL,
  describeUpstreamFaults,
  type FaultyAdapter,
} from '@test/suites/upstream-faults/upstream-faults.suite';
import { type RawServer, rawReply, startRawServer } from '@test/raw-server';
import { MessagesApiAdapter } from './messages-api.adapter';
import { refused } from './provider-errors';
import { type ProviderOutagesService } from './provider-outages.service';
import { UpstreamError } from '../../ports/ai-upstream.port';

/** Events of outages have a test of their own: there is no database here. */
const NOBODY_TOLD = { tell: () => Promise.resolve() } as unknown as ProviderOutagesService;

const call = {
  customerId: 'c',
  apiKey: CREDENTIAL,
  model: 'm',
  content: { messages: [Buffer.from('[]')], options: [] },
  maxTokens: 10,
};
const common: Pick<FaultyAdapter, 'settings' | 'judge' | 'tells' | 'expected'> = {
  settings: (address) => ({ ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: CREDENTIAL }),
  judge: (result) =>
    result instanceof UpstreamError ? result.fault.code : result instanceof Error ? result.name : 'ok',
  tells: /^(400|413)$/,
  expected: {
    ok: 'ok',
    unsent: 'ai_upstream_failed',
    lost: 'ai_upstream_failed',
    unreadable: 'ai_upstream_failed',
    no_content: 'ai_upstream_failed',
    account_refused: 'ai_upstream_rejected',
    turned_away: 'ai_upstream_failed',
    closed_for_now: 'ai_upstream_failed',
    refused: 'ai_upstream_rejected',
    gave_up_for_now: 'ai_upstream_failed',
    gave_up: 'ai_upstream_rejected',
    failed: 'ai_upstream_failed',
  },
};

describeUpstreamFaults('The Messages API', {
  ...common,
  deadline: 'AI_UPSTREAM_TIMEOUT_MS',
  good: rawReply(200, '{"type":"message","content":[],"usage":{"input_tokens":1,"output_tokens":1}}'),
  open: (config, clients) => {
    const adapter = new MessagesApiAdapter(config, SecretRedactor.forSettings(config), clients, NOBODY_TOLD);
    return () => adapter.createMessage(call, new AbortController().signal);
  },
});

describeUpstreamFaults("The Messages API's count of tokens", {
  ...common,
  deadline: 'AI_COUNT_TIMEOUT_MS',
  good: rawReply(200, '{"input_tokens":12}'),
  open: (config, clients) => {
    const adapter = new MessagesApiAdapter(config, SecretRedactor.forSettings(config), clients, NOBODY_TOLD);
    return () => adapter.countTokens(call, new AbortController().signal);
  },
});

/** The bounds of a reply are those of its tokens: of these there are ten, and 1.5 MB are far beyond them. */
describe('An answer of few tokens that cites much', () => {
  const CITED = 'x'.repeat(1_500_000);
  const citing = { ...call.content, messages: [Buffer.from(`["${CITED}"]`)], citations: true };
  const citation = `{"type":"char_location","cited_text":"${CITED}"}`;
  const usage = '"usage":{"input_tokens":1,"output_tokens":1}';
  let server: RawServer;
  let clients: UpstreamClientsService;
  let adapter: MessagesApiAdapter;
  beforeAll(async () => {
    server = await startRawServer();
    const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ...common.settings(server.url) });
    clients = new UpstreamClientsService(config);
    adapter = new MessagesApiAdapter(config, SecretRedactor.forSettings(config), clients, NOBODY_TOLD);
  });
  afterAll(async () => {
    await clients.onApplicationShutdown();
    await server.close();
  });
  const { signal } = new AbortController();

  it.each([
    ['is taken', citing, 'ok'],
    [
      'is too large where nothing was to be cited',
      { ...citing, citations: false },
      'upstream too_large CONTENT_LENGTH',
    ],
  ])('%s', async (_, content, expected) => {
    const reply = rawReply(200, `{"type":"message","content":[${Array(3).fill(citation).join(',')}],${usage}}`);
    server.answer((socket) => socket.write(reply));
    const told = await adapter.createMessage({ ...call, content }, signal).then(
      () => 'ok',
      (error: unknown) => (error as UpstreamError).fault.reason,
    );
    expect(told).toBe(expected);
  });

  it('is streamed, each citation in an event of its own', async () => {
    const events = [
      ['message_start', `{"message":{${usage}}}`],
      ...Array.from({ length: 5 }, () => ['content_block_delta', `{"delta":{"citation":${citation}}}`]),
      ['message_delta', `{${usage}}`],
      ['message_stop', '{}'],
    ];
    const body = events.map(([name, data]) => `event: ${name}\ndata: ${data}\n\n`).join('');
    server.answer((socket) => socket.write(rawReply(200, body, { 'content-type': 'text/event-stream' })));
    const stream = await adapter.streamMessage({ ...call, content: citing }, signal);
    let passed = 0;
    const { lastEvent } = await stream.read((piece) => (passed += piece.length));
    expect(passed + lastEvent.length).toBe(body.length);
  });
});

describe("The provider's refusals", () => {
  const redactor = SecretRedactor.forSettings(loadConfig({ NODE_ENV: 'test' }));
  const refusal = (message: string) => {
    const body = Buffer.from(JSON.stringify({ error: { message } }));
    return refused(redactor, new UpstreamReply({ upstream: 'ai', operation: 'test' }, 400, {}, body)).fault.detail;
  };

  it('are not told where what is shown is about the operator’s account, wherever it stands', () => {
    expect(refusal(`The request${' '.repeat(600)}: your organization has no credit`)).toBe(
      'The AI provider rejected the request. You were not charged',
    );
  });

  it.each([
    ['messages.0.content: an explanation is missing', true],
    ['tools.0.name: "accountant_unbalanced" is planned twice', true],
    ['your credit_balance is too low', false],
    ['Your plan does not have this', false],
    ['the accounts of org-1', false],
    ['invalid x-api-key', false],
    ['You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.', false],
    ['This month’s spending limit is reached', false],
  ])('are about the operator’s account by whole words: %s', (message, isTold) => {
    expect(refusal(message).includes(message)).toBe(isTold);
  });

  it('are looked at where they are shown, however much of a customer’s text they repeat', () => {
    const looked: string[] = [];
    const test = jest.spyOn(RegExp.prototype, 'test').mockImplementation(function (this: RegExp, text) {
      // An expression that looks for two words takes the square of a text's length.
      if (this.source.includes('model')) looked.push(text);
      return this.exec(text) !== null;
    });
    const shown = refusal(`Input tag '${'model '.repeat(10_000)}' does not match`);
    test.mockRestore();
    expect(shown).toMatch(/^The AI provider rejected/);
    expect(looked).toHaveLength(1);
    expect(looked[0]?.length).toBeLessThan(1_000);
  });
});
