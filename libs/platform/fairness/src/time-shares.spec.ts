import { fc } from '@test/fast-check';
import { fairLevel, TimeShares } from './time-shares';

const TICK_MS = 100;

/** Pseudo-random numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

interface Arrival {
  party: string;
  at: number;
  ms: number;
}

/** A party that asks for so many requests per second, which cost so many milliseconds each. */
interface Demand {
  party: string;
  perSecond: number;
  ms: number;
}

/** Simulates a process that works on one request after another, and its callers, with a clock of its own. */
class Simulation {
  now = 0;
  readonly served: (Arrival & { waitMs: number })[] = [];
  readonly refused: (Arrival & { grant: string })[] = [];
  readonly shares = new TimeShares({ targetMs: 40, standingMs: 1000 }, () => this.now);
  /** Waiting time of another cause, in milliseconds, and whether that is work of the process itself. */
  othersMs = 0;
  isBusy = false;
  /** Milliseconds of work that are done per millisecond. */
  speed = 1;
  /** Whether requests wait for their turn, and are admitted then. */
  hasTurns = false;
  private readonly random = seeded(7);
  private readonly queue: (Arrival & { wasAdmitted: boolean })[] = [];
  private queuedMs = 0;
  private spareMs = 0;

  /** Makes requests arrive, irregularly, for some milliseconds. */
  run(demands: Demand[], ms: number): void {
    for (const until = this.now + ms; this.now < until; this.now++) {
      for (const { party, perSecond, ms } of demands)
        for (let rest = (perSecond / 1000) * 2 * this.random(); rest > 0; rest--)
          if (rest >= 1 || this.random() < rest) this.arrive(party, ms);
      this.work();
      if (this.now % TICK_MS !== 0) continue;
      if (this.hasTurns) this.shares.measure(this.now - (this.queue[0]?.at ?? this.now), true, this.queue.length);
      else this.shares.measure(this.queuedMs / this.speed + this.othersMs, this.isBusy);
    }
  }

  arrive(party: string, ms: number): void {
    const arrival = { party, at: this.now, ms, wasAdmitted: this.shares.isHolding };
    if (!this.hasTurns && !this.admit(arrival)) return;
    this.queue.push(arrival);
    this.queuedMs += ms;
  }

  private admit(arrival: Arrival): boolean {
    const grant = this.shares.admit(arrival.party, true, this.hasTurns ? arrival.at : undefined);
    if (grant !== 'granted') this.refused.push({ ...arrival, grant });
    return grant === 'granted';
  }

  private work(): void {
    this.spareMs = Math.min(this.spareMs, 0) + this.speed;
    while (this.spareMs > 0) {
      const next = this.queue.shift();
      if (!next) return;
      this.queuedMs -= next.ms;
      if (this.hasTurns) {
        next.wasAdmitted = this.shares.isHolding;
        if (!this.admit(next)) continue;
      }
      this.spareMs -= next.ms;
      this.served.push({ ...next, waitMs: this.now - next.at });
      this.shares.finish(next.party, next.wasAdmitted, next.ms);
    }
  }

  /** Milliseconds of work per second that were done in an interval. */
  rate(from: number, to: number, party?: string): number {
    const those = this.served.filter((one) => this.isIn(one, from, to) && (party ?? one.party) === one.party);
    return (those.reduce((sum, { ms }) => sum + ms, 0) / (to - from)) * 1000;
  }

  waits(from: number, to: number, party?: string): number[] {
    const those = this.served.filter((one) => this.isIn(one, from, to) && (party ?? one.party) === one.party);
    return those.map(({ waitMs }) => waitMs).sort((a, b) => a - b);
  }

  p99(from: number, to: number, party?: string): number {
    const waits = this.waits(from, to, party);
    return waits[Math.floor(waits.length * 0.99)] ?? 0;
  }

  private isIn({ at, waitMs }: { at: number; waitMs: number }, from: number, to: number): boolean {
    return at + waitMs >= from && at + waitMs < to;
  }
}

/** Requests of one party that cost a millisecond each. */
const alone = (perSecond: number): Demand[] => [{ party: 'a', perSecond, ms: 1 }];

describe('the level of shares', () => {
  const demands = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 30 });
  const capacity = fc.double({ min: 1, max: 5000, noNaN: true });

  it('gives away all that is asked for, or all that there is, and never more', () => {
    fc.assert(
      fc.property(demands, capacity, (demands, capacity) => {
        const level = fairLevel(demands, capacity);
        const given = demands.reduce((sum, demand) => sum + Math.min(demand, level), 0);
        const asked = demands.reduce((sum, demand) => sum + demand, 0);
        expect(given).toBeCloseTo(Math.min(asked, capacity), 6);
      }),
    );
  });

  it('is at least an equal part, and does not fall when another party asks for less', () => {
    fc.assert(
      fc.property(demands, capacity, fc.nat(), (demands, capacity, which) => {
        const level = fairLevel(demands, capacity);
        expect(level).toBeGreaterThanOrEqual((capacity / demands.length) * (1 - 1e-9));
        const modest = demands.with(which % demands.length, 0);
        expect(fairLevel(modest, capacity)).toBeGreaterThanOrEqual(level * (1 - 1e-9));
      }),
    );
  });
});

describe('one party alone', () => {
  it.each([0.5, 3, 20])('at twice what can be served of requests of %d ms keeps being served, in time', (ms) => {
    const server = new Simulation();
    server.run([{ party: 'a', perSecond: 2000 / ms, ms }], 120_000);
    // Requests from before still wait; later ones hardly do.
    expect(server.p99(5000, 120_000)).toBeLessThan(250);
    expect(server.rate(0, 120_000)).toBeGreaterThan(900);
    expect(server.p99(0, 120_000)).toBeLessThan(3000);
    expect(new Set(server.refused.map(({ grant }) => grant))).toEqual(new Set(['all_used']));
  });

  it('is not refused any more within 5 s of the overload', () => {
    const server = new Simulation();
    server.run(alone(2000), 30_000);
    expect(server.shares.isOverloaded).toBe(true);
    server.run(alone(600), 10_000);
    expect(server.refused.filter(({ at }) => at > 35_000)).toEqual([]);
    expect(server.shares.isHolding).toBe(false);
    expect(server.p99(35_000, 40_000)).toBeLessThan(20);
  });

  it('is refused none of a burst that is served within 2 s', () => {
    const server = new Simulation();
    server.run(alone(250), 5000);
    for (let count = 0; count < 1250; count++) server.arrive('a', 1);
    server.run([], 5000);
    expect(server.refused).toEqual([]);
    expect(server.waits(0, 10_000).at(-1)).toBeLessThan(2000);
  });

  it('is refused none of a burst that takes turns for 4 s, nor of what comes meanwhile: it is being worked off', () => {
    const server = new Simulation();
    server.hasTurns = true;
    server.run(alone(250), 5000);
    for (let count = 0; count < 800; count++) server.arrive('a', 4);
    server.run([{ party: 'a', perSecond: 50, ms: 4 }], 8000);
    expect(server.refused).toEqual([]);
    expect(server.waits(0, 13_000).at(-1)).toBeGreaterThan(3000);
  });

  it('is served what had come before its turns were an overload, and the rest in time', () => {
    const server = new Simulation();
    server.hasTurns = true;
    server.run(alone(2000), 120_000);
    const began = server.refused[0]?.at ?? 0;
    expect(began).toBeGreaterThan(1000);
    expect(began).toBeLessThan(2000);
    expect(server.served.filter(({ at }) => at < 1000).length).toBeGreaterThan(1900);
    expect(server.p99(5000, 120_000)).toBeLessThan(250);
    expect(server.rate(0, 120_000)).toBeGreaterThan(900);
    expect(new Set(server.refused.map(({ grant }) => grant))).toEqual(new Set(['all_used']));
  });

  it('is accepted again after a stall', () => {
    const server = new Simulation();
    server.run(alone(500), 5000);
    const stalled = server.now + 10_000;
    for (; server.now < stalled; server.now += TICK_MS) {
      server.arrive('a', 1);
      server.shares.measure(server.now, false);
    }
    const back = server.now;
    server.run(alone(500), 10_000);
    expect(server.refused.filter(({ at }) => at > back + 5000)).toEqual([]);
  });

  it('is served as much as can be by a server that becomes slower, and faster again', () => {
    const server = new Simulation();
    server.run(alone(2000), 10_000);
    server.speed = 0.2;
    server.run(alone(2000), 20_000);
    expect(server.p99(20_000, 30_000)).toBeLessThan(1000);
    expect(server.rate(20_000, 30_000)).toBeGreaterThan(180);
    server.speed = 1;
    server.run(alone(2000), 10_000);
    expect(server.rate(35_000, 40_000)).toBeGreaterThan(900);
  });

  it.each([0.05, 0.1, 0.2])('is served all that can be again 1 s after its server has done %d of that', (speed) => {
    const server = new Simulation();
    server.run(alone(2000), 10_000);
    server.speed = speed;
    server.run(alone(2000), 20_000);
    server.speed = 1;
    server.run(alone(2000), 10_000);
    expect(server.rate(31_000, 33_000)).toBeGreaterThan(950);
    expect(server.p99(31_000, 40_000)).toBeLessThan(100);
  });

  it.each([0.5, 20, 100])('is served more with requests of %d ms than before all waited for something else', (ms) => {
    const server = new Simulation();
    const asking = (work: number): Demand[] => [{ party: 'a', perSecond: work / ms, ms }];
    server.run(asking(300), 10_000);
    server.othersMs = 2000;
    server.run(asking(300), 5_000);
    server.othersMs = 0;
    server.run(asking(2000), 10_000);
    expect(server.rate(16_000, 20_000)).toBeGreaterThan(800);
  });

  it('is served half of what can be while the waiting time has another cause', () => {
    const server = new Simulation();
    server.run(alone(2000), 10_000);
    server.othersMs = 200;
    server.run(alone(2000), 60_000);
    expect(server.rate(60_000, 70_000)).toBeGreaterThan(450);
    server.othersMs = 0;
    server.run(alone(2000), 10_000);
    expect(server.rate(75_000, 80_000)).toBeGreaterThan(900);
  });

  it('is not served in bursts with pauses between them', () => {
    const server = new Simulation();
    server.run(alone(2000), 20_000);
    for (let from = 5000; from < 20_000; from += 500) expect(server.rate(from, from + 500)).toBeGreaterThan(800);
  });
});

describe('several parties', () => {
  const neighbour = { party: 'n', perSecond: 20, ms: 1 };

  it.each([1, 20])('while one floods with requests of %d ms, the others are neither refused nor delayed', (ms) => {
    const server = new Simulation();
    server.run([neighbour], 10_000);
    server.run([neighbour, { party: 'flood', perSecond: 5000 / ms, ms }], 60_000);
    expect(server.refused.filter(({ party }) => party === 'n')).toEqual([]);
    expect(new Set(server.refused.map(({ grant }) => grant))).toEqual(new Set(['share_used']));
    // Work that was accepted before anything waited is done first.
    expect(server.p99(12_000, 70_000, 'n')).toBeLessThan(100);
    expect(server.rate(15_000, 70_000, 'flood')).toBeGreaterThan(800);
  });

  it('that cost the same are served alike, and have used up all that there is', () => {
    const server = new Simulation();
    const parties = Array.from({ length: 100 }, (_, place) => ({ party: `${place}`, perSecond: 10, ms: 2 }));
    server.run(parties, 60_000);
    const counts = parties.map(({ party }) => server.served.filter((one) => one.party === party).length);
    const median = counts.toSorted((a, b) => a - b)[50] as number;
    expect(Math.min(...counts)).toBeGreaterThan(0.7 * median);
    expect(Math.max(...counts)).toBeLessThan(1.3 * median);
    expect(server.refused.filter(({ grant }) => grant !== 'all_used').length).toBeLessThan(
      0.02 * server.refused.length,
    );
  });

  it('get what they ask for if that is less than an equal part, whatever the others do', () => {
    const others = fc.array(
      fc.record({
        party: fc.constantFrom('a', 'b', 'c', 'd'),
        perSecond: fc.integer({ min: 1, max: 500 }),
        ms: fc.integer({ min: 1, max: 10 }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(others, fc.integer({ min: 1, max: 10 }), (others, ms) => {
        const server = new Simulation();
        const modest = { party: 'modest', perSecond: 30 / ms, ms };
        server.run([modest], 3000);
        server.run([modest, ...others], 12_000);
        expect(server.refused.filter(({ party }) => party === 'modest')).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['are not refused while the process is busy with what has not ended yet', true],
    ['are refused while a database that answers nobody is waited for', false],
  ])('that ask for little %s', (_, isBusy) => {
    const server = new Simulation();
    const parties = ['a', 'b', 'c'].map((party) => ({ party, perSecond: 10, ms: 0.3 }));
    server.run(parties, 5000);
    server.othersMs = 500;
    server.isBusy = isBusy;
    // Of those that wait for the database none ends.
    if (!isBusy) server.speed = 0;
    server.run(parties, 10_000);
    expect(server.shares.isOverloaded).toBe(true);
    expect(server.refused.length > 0).toBe(!isBusy);
  });

  it('that are seen for the first time share one part', () => {
    const server = new Simulation();
    const regular = { party: 'regular', perSecond: 100, ms: 1 };
    server.run([regular], 5000);
    for (let count = 0; server.now < 20_000; count++) {
      for (let stranger = 0; stranger < 30; stranger++) server.arrive(`${count}-${stranger}`, 1);
      server.run([regular], 10);
    }
    expect(server.refused.filter(({ party }) => party === 'regular').length).toBeLessThan(10);
    expect(server.p99(10_000, 20_000, 'regular')).toBeLessThan(200);
    expect(server.shares.parties).toBeLessThan(20_001);
  });
});

describe('accounts', () => {
  it('are no more than 20,000, and are closed some minutes after the last request', () => {
    let now = 0;
    const shares = new TimeShares({ targetMs: 40, standingMs: 1000 }, () => now);
    for (let count = 0; count < 25_000; count++) shares.finish(`${count}`, false);
    expect(shares.parties).toBe(20_000);
    for (; now < 180_000; now += TICK_MS) {
      shares.finish('regular', false);
      shares.measure(0, false);
    }
    expect(shares.parties).toBe(1);
  });

  it('of networks that were seen lately and not again keep no customer out', () => {
    const server = new Simulation();
    for (let count = 0; count < 60_000; count++) server.shares.finish(`network ${count % 20_000}`, false);
    server.run([], 20_000);
    const from = server.now;
    const late = { party: 'late', perSecond: 100, ms: 1 };
    for (let count = 0; server.now < from + 10_000; count++) {
      for (let stranger = 0; stranger < 30; stranger++) server.arrive(`${count}-${stranger}`, 1);
      server.run([late], 10);
    }
    expect(server.shares.isOverloaded).toBe(true);
    expect(server.refused.filter(({ party }) => party === 'late').length).toBeLessThan(20);
    expect(server.shares.parties).toBe(20_000);
  });

  it('of those who share are not closed for others', () => {
    let now = 0;
    const shares = new TimeShares({ targetMs: 40, standingMs: 1000 }, () => now);
    const regular = () => {
      for (let count = 0; count < 100; count++) shares.finish(`regular ${count}`, false);
    };
    for (let count = 0; count < 100_000; count++) {
      if (count % 1_000 === 0) {
        regular();
        shares.measure(0, false);
      }
      now += 0.5;
      shares.finish(`network ${count}`, false);
    }
    // Their second and later requests are on accounts of their own: the first alone was one of newcomers.
    const open = jest.spyOn(Map.prototype, 'set');
    regular();
    expect(open).not.toHaveBeenCalled();
    open.mockRestore();
  });

  it('tell when a refused party has a share again', () => {
    const server = new Simulation();
    const demands = [
      { party: 'n', perSecond: 20, ms: 1 },
      { party: 'flood', perSecond: 100, ms: 50 },
    ];
    server.run(demands, 5000);
    while (server.shares.admit('flood') === 'granted') server.now++;
    const seconds = server.shares.secondsUntilShare('flood');
    expect(server.shares.secondsUntilShare('n')).toBe(0);
    expect(seconds).toBeGreaterThan(0);
    server.now += Math.ceil(seconds * 1000);
    expect(server.shares.admit('flood')).toBe('granted');
  });
});
