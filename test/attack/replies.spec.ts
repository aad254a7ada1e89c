import { floodWithUnreadReplies, type ReplyFlood } from '@test/ignore-replies';
import { describeWithNginx } from '@test/nginx-proxy';

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 60);

/** A minute of a customer's worst, within what one address can open. */
const FLOOD: ReplyFlood = {
  connections: 1200,
  everyMs: 50,
  longestMs: SECONDS * 1000,
  quietMs: SECONDS * 250,
  // As in production.
  settings: { RATE_LIMIT_REQUESTS_PER_MINUTE: '600', OVERLOAD_WAIT_MS: '100' },
};

async function attack(flood: ReplyFlood): Promise<void> {
  const { attacker, ...seen } = await floodWithUnreadReplies(flood);
  const refused = attacker.filter(({ status }) => status !== 200);
  console.log(seen, `${refused.length} of ${attacker.length} refused`);
  expect(seen.alive).toBe(true);
  expect(seen.meanwhile.statuses).toEqual([200]);
  expect(seen.meanwhile.p99Ms).toBeLessThan(Math.max(100, 2 * seen.before.p99Ms));
  expect(seen.largestRssMb).toBeLessThan(1024);
  expect(refused.length).toBeGreaterThan(0);
  // By its limit of requests, or by its share of the memory or of slow reads.
  for (const { status, detail } of refused)
    expect([status, detail]).toEqual([429, expect.stringMatching(/At most|not read|wait for each other/)]);
}

/** npm run attack:replies. On a quiet machine: it measures times. */
describe('a customer that asks for large replies for a minute and reads none', () => {
  it('is refused and told why; others are served as before', () => attack(FLOOD), 300_000);
});

describeWithNginx('a customer that asks for large replies through nginx and reads none', () => {
  it('is refused and told why; others are served as before', () => attack({ ...FLOOD, proxied: true }), 300_000);
});
