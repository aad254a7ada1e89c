import { floodWithBodies } from '@test/send-hostile-bodies';
import { HOSTILE_SHAPES, honestBody, type HostileBody, hostileBody } from '@test/hostile-bodies';

const MB = 1024 * 1024;

/**
 * Ten bodies of each shape, from 1 to 32 MB, and valid ones among them. Generated one by one: all at once would not fit
 * into memory.
 */
function* bodies(): Generator<HostileBody> {
  for (let round = 0; round < 10; round++) {
    const bytes = Math.round((1 + (31 * round) / 9) * MB) - 1024;
    for (const shape of HOSTILE_SHAPES) yield hostileBody(shape, bytes);
    if (round % 3 === 0) yield honestBody(30 * MB);
  }
}

/** npm run attack:bodies. On a quiet machine: it measures times. */
describe('100 hostile bodies of 1 to 32 MB, with a heap of 512 MB', () => {
  it('neither stop the process nor delay others, and valid ones are answered', async () => {
    const seen = await floodWithBodies(bodies(), 6);
    const { answers, ...measured } = seen;
    console.log(measured, new Set(answers.map(({ shape, status }) => `${shape}: ${status}`)));
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
    expect(answers).toHaveLength(104);
    expect(measured.alive).toBe(true);
    expect(measured.largestRssMb).toBeLessThan(768);
    expect(measured.longestTurnMs).toBeLessThan(50);
    expect(measured.longestBlockMs).toBeLessThan(50);
    expect(measured.slowestHealthMs).toBeLessThan(100);
  }, 300_000);
});
