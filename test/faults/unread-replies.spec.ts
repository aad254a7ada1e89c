import { floodWithUnreadReplies } from '@test/ignore-replies';

describe('a customer that asks for large replies and reads none', () => {
  // That it is refused is tried in test/e2e/unread-replies.spec.ts: here it depends on the machine how much it asks for in time.
  it('leaves others their answers, and the memory bounded', async () => {
    const { alive, meanwhile, attacker, largestRssMb } = await floodWithUnreadReplies({
      connections: Infinity,
      longestMs: 10_000,
      // A page is made at a time: those that wait are kept.
      mostOpen: 1000,
      everyMs: 50,
      quietMs: 0,
      settings: { REPLY_MEMORY_BYTES: String(16 * 1024 * 1024), REPLY_PATIENCE_MS: '600000' },
    });
    expect(alive).toBe(true);
    expect(meanwhile.statuses).toEqual([200]);
    const refused = attacker.filter(({ status }) => status !== 200);
    for (const { status, detail } of refused)
      expect([status, detail]).toEqual([429, expect.stringMatching(/not read|wait for each other/)]);
    expect(largestRssMb).toBeLessThan(600);
  }, 240_000);
});
