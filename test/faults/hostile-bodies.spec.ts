import { floodWithBodies } from '@test/send-hostile-bodies';
import { HOSTILE_SHAPES, honestBody, hostileBody } from '@test/hostile-bodies';

const MB = 1024 * 1024;

/** A small part of `npm run attack:bodies`, with bounds for a busy machine. */
describe('hostile bodies', () => {
  it('of every shape are refused in time, and an honest one of 30 MB is answered', async () => {
    const bodies = [...HOSTILE_SHAPES.map((shape) => hostileBody(shape, 3 * MB)), honestBody(30 * MB)];
    const { answers, ...measured } = await floodWithBodies(bodies, 4);
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
    expect(answers).toHaveLength(bodies.length);
    expect(measured.alive).toBe(true);
    expect(measured.largestRssMb).toBeLessThan(768);
    // Delays are measured by `npm run attack:bodies`, on a quiet machine. A slow one takes longer for everything.
    expect(measured.longestTurnMs).toBeLessThan(Math.max(50, 3 * msOfParsing(3 * MB)));
    expect(measured.slowestHealthMs).toBeLessThan(2000);
  }, 240_000);
});

/** What Node takes for a JSON text of that size here, of small values: the least of five times. */
function msOfParsing(bytes: number): number {
  const text = JSON.stringify(Array.from({ length: bytes / 2 }, (_, index) => index % 10));
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    JSON.parse(text);
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}
