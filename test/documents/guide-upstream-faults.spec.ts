import { faker } from '@test/faker';
import { GuideFolder, type ProgramEnd } from '@test/documents/guide-programs';
import { freePort } from '@test/free-port';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import type { DirectiveValues } from '../../apps/sandbox/src/shared/faults/directives';

/** Faults of each upstream that are tried, drawn by the seed. `npm run accept:guide-faults` tries all. */
const FAULTS = Number(process.env.ACCEPT_GUIDE_FAULTS ?? 4);
/** Of a call to an upstream. An answer of two thousand bytes that drips takes some seconds while the machine does much else. */
const TIMEOUT_MS = 10_000;
/** A program may wait for several seconds before each of five tries. */
const LONG_MS = 180_000;

const WHOLE = ['ask.ts', 'retry.ts', 'sdk.ts', 'vercel.ts'] as const;
const STREAMED = ['stream.ts', 'vercel-stream.ts', 'events.ts'] as const;
type Program = (typeof WHOLE)[number] | (typeof STREAMED)[number];
/** They show the error of a message that may be sent again. The others send it again themselves. */
const ONCE: readonly Program[] = ['ask.ts', 'events.ts'];
/** Their SDK sends every message again that is answered with 5xx. */
const EVERY_5XX: readonly Program[] = ['vercel.ts', 'vercel-stream.ts'];

/**
 * The end of a message, by the guide: it is `answered`; the provider `failed`, and the message may be sent again; it `rejected`
 * the message because of its content, or the operator's account (`rejected account`), and sent again it is rejected again.
 */
type Outcome = 'answered' | 'failed' | 'rejected' | 'rejected account';

/** What the provider does with one message, and how a message ends that is answered whole, or in events. */
type Fault = [directives: DirectiveValues, whole: Outcome | undefined, streamed: Outcome | undefined];

const both = (directives: DirectiveValues, outcome: Outcome): Fault => [directives, outcome, outcome];
const events = (directives: DirectiveValues, outcome: Outcome): Fault => [directives, undefined, outcome];

const PROVIDER_FAULTS: Fault[] = [
  both({ delay: 300 }, 'answered'),
  both({ 'output-tokens': 3 }, 'answered'),
  both({ cache: 'read' }, 'answered'),
  both({ usage: '{"cache_creation":null}' }, 'answered'),
  both({ 'stop-reason': 'max_tokens' }, 'answered'),
  both({ drip: 1 }, 'answered'),
  [{ 'slow-body': 300 }, 'answered', undefined],
  events({ events: 40 }, 'answered'),
  events({ 'event-delay': 20 }, 'answered'),
  events({ 'stream-usage': '{"input_tokens":null}' }, 'answered'),
  events({ 'stream-unknown': true }, 'answered'),
  both({ cut: true }, 'failed'),
  both({ hang: true }, 'failed'),
  // So many bytes are no answer of max_tokens.
  both({ flood: 8 }, 'failed'),
  both({ 'not-json': true }, 'failed'),
  both({ 'not-json-error': 502 }, 'failed'),
  both({ empty: true }, 'failed'),
  both({ truncated: true }, 'failed'),
  both({ 'wrong-shape': true }, 'failed'),
  [{ 'cut-body': true }, 'failed', undefined],
  events({ 'stream-cut': 4 }, 'failed'),
  events({ 'stream-close': 4 }, 'failed'),
  events({ 'stream-hang': 4 }, 'failed'),
  events({ 'stream-error': 'api_error' }, 'failed'),
  events({ 'stream-error': 'overloaded_error' }, 'failed'),
  ...[408, 409, 429, 500, 503, 504, 529].map((status) => both({ status }, 'failed')),
  both({ status: 429, 'retry-after': 2 }, 'failed'),
  both({ 'spend-limit': true }, 'failed'),
  both({ status: 400 }, 'rejected'),
  both({ status: 413 }, 'rejected'),
  ...[401, 402, 403, 404].map((status) => both({ status }, 'rejected account')),
  both({ 'low-balance': true }, 'rejected account'),
  both({ 'usage-limit': true }, 'rejected account'),
  both({ 'api-key': 'another' }, 'rejected account'),
];

/** The Vercel AI SDK knows no events but its own: the answer is charged, and it shows an error for it. */
const UNKNOWN_TO_VERCEL = 'stream-unknown';
/** Directives that make no fault: the message is answered with something that the programs do not ask for. */
const NO_FAULTS = ['refusal', 'tool-use'];

/** What send.ts says of a message, by what the gateway does. */
const SAID = {
  accepted: /^[0-9a-f-]{36} is accepted\n$/,
  unknown: /^[0-9a-f-]{36} is unknown: do not send it again\n$/,
  'not sent': /^It was not sent; it can be sent again\n$/,
  rejected: /sms_gateway_rejected: /,
};

const GATEWAY_FAULTS: [DirectiveValues, keyof typeof SAID][] = [
  [{ delay: 300 }, 'accepted'],
  [{ 'slow-body': 300 }, 'accepted'],
  [{ drip: 1 }, 'accepted'],
  [{ 'reports-early': true }, 'accepted'],
  [{ cut: true }, 'unknown'],
  [{ 'cut-body': true }, 'unknown'],
  [{ hang: true }, 'unknown'],
  [{ 'not-json': true }, 'unknown'],
  [{ 'not-json-error': 502 }, 'unknown'],
  [{ empty: true }, 'unknown'],
  [{ truncated: true }, 'unknown'],
  [{ 'wrong-shape': true }, 'unknown'],
  [{ status: 500 }, 'unknown'],
  [{ status: 503 }, 'unknown'],
  [{ status: 408, sent: true }, 'unknown'],
  [{ status: 429, 'retry-after': 120 }, 'not sent'],
  [{ 'no-credits': true }, 'not sent'],
  [{ status: 401 }, 'not sent'],
  [{ status: 400 }, 'rejected'],
  [{ refusal: 'Invalid key to' }, 'rejected'],
  [{ 'reply-status': 'failed' }, 'rejected'],
];

/** Those that are tried this time. */
const drawn = <F>(faults: F[]) =>
  faker.helpers
    .arrayElements(faults, Math.min(FAULTS, faults.length))
    .map((fault) => [JSON.stringify(fault), fault] as const);

describe('programs of the guide', () => {
  let full: FullApi;
  let folder: GuideFolder;
  beforeAll(async () => {
    const port = String(await freePort());
    full = await startFullApi({
      PORT: port,
      AI_UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS),
      SMS_GATEWAY_TIMEOUT_MS: String(TIMEOUT_MS),
      // Many calls fail on purpose: that is no outage.
      UPSTREAM_BREAKER_FAILURES: '1000',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
    folder = await GuideFolder.create();
  }, 300_000);
  afterAll(async () => {
    folder.remove();
    await full.stop();
  });
  afterEach(() => full.sandbox.reset());

  const start = async (file: string, words: string[] = []) => {
    const { customer, token } = await createFullCaller(full);
    const end = folder.run(file, { API: full.api.baseUrl, TOKEN: token.token }, words);
    return { customer, end };
  };
  const chargesOf = async (customerId: string) => {
    const { rows } = await full.api.superuser.query('select from ai_usage where customer_id = $1', [customerId]);
    return rows.length;
  };

  it('are tried with every fault that the sandbox knows', () => {
    const tried = (faults: [DirectiveValues, ...unknown[]][]) =>
      new Set(faults.flatMap(([values]) => Object.keys(values)));
    const { messages, elks46 } = full.sandbox;
    const ofMessages = messages.directives.filter((name) => !name.startsWith('count-'));
    expect([...tried(PROVIDER_FAULTS), ...NO_FAULTS].sort()).toEqual(ofMessages.sort());
    const ofReports = ['reports', 'reports-delay', 'report-id', 'report-time', 'report-as', 'flood'];
    expect([...tried(GATEWAY_FAULTS), ...ofReports].sort()).toEqual([...elks46.directives].sort());
  });

  it.each(drawn(PROVIDER_FAULTS))(
    'show the answer, or the reason why there is none, and pay once: %s',
    async (_, [directives, whole, streamed]) => {
      const programs = [
        ...(whole ? WHOLE.map((file) => ({ file, outcome: whole })) : []),
        ...(streamed ? STREAMED.map((file) => ({ file, outcome: streamed })) : []),
      ];
      const { messages } = full.sandbox;
      messages.script(...programs.map(() => directives));
      const gate = messages.hold();
      const started = await Promise.all(
        programs.map(async ({ file, outcome }) => ({ file, outcome, ...(await start(file)) })),
      );
      // The fault has met each of them once; what they send again is answered.
      await gate.holding(programs.length);
      gate.open();
      // Whatever is wrong with one, none sends anything into the next test.
      await Promise.all(started.map(({ end }) => end));
      let asked = 0;
      for (const { file, outcome, customer, end } of started) {
        const ended = { file, ...(await end), charges: await chargesOf(customer.id) };
        const again =
          (outcome === 'failed' && !ONCE.includes(file)) ||
          (outcome === 'rejected account' && EVERY_5XX.includes(file));
        asked += again ? 2 : 1;
        if (directives[UNKNOWN_TO_VERCEL] && file === 'vercel-stream.ts') expect(ended).toMatchObject({ charges: 1 });
        else if (outcome === 'answered' || again)
          expect(ended).toMatchObject({ file, exitCode: 0, stderr: '', charges: 1 });
        else expectReason(ended, file === 'events.ts' ? 0 : 1);
        if (directives['stop-reason'] && outcome === 'answered') expectCut(file, ended);
      }
      expect(messages.total).toBe(asked);
    },
    LONG_MS,
  );

  /** It says that nothing was charged, or why the message was rejected, and that is so. */
  function expectReason(ended: ProgramEnd & { charges: number }, exitCode: number): void {
    expect(ended).toEqual({ ...ended, exitCode, charges: 0 });
    expect(ended.stdout + ended.stderr).toMatch(/You were not charged|The AI provider rejected the request: /);
  }

  function expectCut(file: Program, { stdout }: ProgramEnd): void {
    const shown: Partial<Record<Program, string>> = {
      'ask.ts': '(the answer was cut)',
      'stream.ts': '(max_tokens, ',
      'vercel-stream.ts': '(length)',
    };
    expect(stdout).toContain(shown[file] ?? '');
  }

  it.each(drawn(GATEWAY_FAULTS))(
    'send.ts says what is known of its SMS, and sends it once at most: %s',
    async (_, [directives, said]) => {
      full.sandbox.elks46.script(directives);
      const { end } = await start('send.ts', ['+4790000001', 'Hello']);
      const { stdout, stderr } = await end;
      expect(stdout + stderr).toMatch(SAID[said]);
      const { accepted, total } = full.sandbox.elks46;
      expect(total).toBe(1);
      if (said !== 'unknown' && said !== 'rejected') expect(accepted).toHaveLength(said === 'accepted' ? 1 : 0);
    },
    LONG_MS,
  );
});
