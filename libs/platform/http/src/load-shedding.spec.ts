import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { until } from '@test/until';
import { addLoadShedding, LoadShedder, shedOverload } from './load-shedding';

const TICK_MS = 100;
const STEP_MS = 1;

/** Pseudo-random numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

/** Simulates a server and its clients with a clock of its own. */
class Simulation {
  now = 0;
  readonly waits: { at: number; ms: number }[] = [];
  readonly refusals: number[] = [];
  readonly shedder = new LoadShedder({ targetMs: 40, standingMs: 1000 }, () => this.now);
  private readonly random = seeded(7);
  private queue: number[] = [];
  private capacity = 0;

  /** What other work adds to the measured waiting time, in milliseconds. */
  othersMs = 0;

  constructor(public perSecond: number) {}

  /** Makes requests arrive at a rate, irregularly, for some milliseconds. */
  run(arrivalsPerSecond: number, ms: number): void {
    for (const until = this.now + ms; this.now < until; this.now += STEP_MS) {
      const expected = (arrivalsPerSecond * STEP_MS) / 1000;
      for (let rest = expected * 2 * this.random(); rest > 0; rest--)
        if (rest >= 1 || this.random() < rest) this.arrive();
      this.serve();
      if (this.now % TICK_MS === 0) this.shedder.measure((this.queue.length / this.perSecond) * 1000 + this.othersMs);
    }
  }

  arrive(): void {
    if (this.shedder.admit()) this.queue.push(this.now);
    else this.refusals.push(this.now);
  }

  private serve(): void {
    this.capacity = Math.min(this.capacity + (this.perSecond * STEP_MS) / 1000, Math.max(1, this.queue.length));
    for (; this.capacity >= 1 && this.queue.length > 0; this.capacity--) {
      this.waits.push({ at: this.now, ms: this.now - (this.queue.shift() as number) });
      this.shedder.finish();
    }
  }

  /** Requests per second that were served in an interval. */
  served(from: number, to: number): number {
    return (this.waits.filter(({ at }) => at >= from && at < to).length / (to - from)) * 1000;
  }

  longest(): number {
    return this.waits.reduce((longest, { ms }) => Math.max(longest, ms), 0);
  }

  p99(from: number, to: number): number {
    const waits = this.waits.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
    return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0;
  }
}

describe('load shedding', () => {
  it.each([50, 300, 2000])('at twice what %i a second can be served keeps serving, in time', (perSecond) => {
    const server = new Simulation(perSecond);
    server.run(perSecond * 2, 120_000);
    // Requests from before the shedding began still wait; later ones hardly do.
    expect(server.p99(5000, 120_000)).toBeLessThan(250);
    expect(server.waits.length).toBeGreaterThan(0.9 * perSecond * 120);
    expect(server.longest()).toBeLessThan(3000);
  });

  it('ends within 5 s of the overload', () => {
    const server = new Simulation(1000);
    server.run(2000, 30_000);
    server.run(600, 10_000);
    expect(server.refusals.filter((at) => at > 35_000)).toEqual([]);
    expect(server.shedder.active).toBe(false);
    expect(server.p99(35_000, 40_000)).toBeLessThan(20);
  });

  it('refuses none of a burst that is served within 2 s', () => {
    const server = new Simulation(400);
    server.run(100, 5000);
    for (let count = 0; count < 500; count++) server.arrive();
    server.run(0, 5000);
    expect(server.refusals).toEqual([]);
    expect(server.longest()).toBeLessThan(2000);
  });

  it('accepts all requests again after a stall', () => {
    const server = new Simulation(1000);
    server.run(500, 5000);
    const stalled = server.now + 10_000;
    for (; server.now < stalled; server.now += TICK_MS) {
      server.arrive();
      server.shedder.measure(server.now);
    }
    const back = server.now;
    server.run(500, 10_000);
    expect(server.refusals.filter((at) => at > back + 5000)).toEqual([]);
  });

  it('follows a server that becomes slower, and faster again', () => {
    const server = new Simulation(1000);
    server.run(2000, 10_000);
    server.perSecond = 200;
    server.run(2000, 20_000);
    expect(server.p99(20_000, 30_000)).toBeLessThan(1000);
    expect(server.served(20_000, 30_000)).toBeGreaterThan(180);
    server.perSecond = 1000;
    server.run(2000, 10_000);
    expect(server.served(35_000, 40_000)).toBeGreaterThan(900);
  });

  it('goes on serving half of what can be served when the waiting time has another cause', () => {
    const server = new Simulation(1000);
    server.run(2000, 10_000);
    server.othersMs = 200;
    server.run(2000, 60_000);
    expect(server.served(60_000, 70_000)).toBeGreaterThan(450);
    server.othersMs = 0;
    server.run(2000, 10_000);
    expect(server.served(75_000, 80_000)).toBeGreaterThan(900);
  });

  it('does not serve in bursts with pauses between them', () => {
    const server = new Simulation(1000);
    server.run(2000, 20_000);
    for (let from = 5000; from < 20_000; from += 500) expect(server.served(from, from + 500)).toBeGreaterThan(800);
  });
});

describe('the waiting time of a new request', () => {
  let now = 0;
  let queued = 0;
  let server: FastifyInstance;
  let measure: jest.SpyInstance<void, [waitMs: number]>;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] });
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    measure = jest.spyOn(LoadShedder.prototype, 'measure');
    [now, queued] = [0, 0];
    server = fastify();
    shedOverload(server, 100, { queueDelayMs: () => queued });
  });
  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await server.close();
  });

  /** Lets a tenth of a second of timers pass, each late by so many milliseconds. @returns what was measured */
  const pass = (...late: number[]) => {
    for (const ms of late) {
      now += 20 + ms;
      jest.advanceTimersByTime(20);
    }
    return measure.mock.lastCall?.[0];
  };

  it('follows the delay of the event loop within a few tenths of a second', () => {
    expect(pass(0, 0, 0, 0, 0)).toBe(0);
    const soon = pass(100, 100, 100, 100, 100);
    expect(soon).toBeGreaterThan(60);
    expect(soon).toBeLessThan(95);
    expect(pass(...Array.from({ length: 20 }, () => 100))).toBeCloseTo(100, 0);
    expect(pass(...Array.from({ length: 25 }, () => 0))).toBeCloseTo(0, 0);
  });

  it('is hardly moved by one stall', () => {
    expect(pass(0, 0, 0, 100, 0)).toBe(30);
    expect(pass(0, 0, 0, 0, 0)).toBeLessThan(10);
  });

  it('is that of the queue if it is longer', () => {
    queued = 70;
    expect(pass(0, 0, 0, 100, 0)).toBe(70);
    expect(pass(100, 100, 100, 100, 100)).toBeGreaterThan(70);
  });

  it('is not measured any more once the server has closed', async () => {
    await server.close();
    expect(pass(0, 0, 0, 0, 0)).toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('requests that the load shedder counts as finished', () => {
  let server: FastifyInstance;
  let port: number;
  let finished: jest.SpyInstance;
  let arrived = 0;

  beforeAll(async () => {
    const shedder = new LoadShedder({ targetMs: 100, standingMs: 1000 });
    finished = jest.spyOn(shedder, 'finish');
    server = fastify();
    server.addHook('onRequest', (request, reply, done) => {
      if (request.url === '/refused') void reply.code(429).send();
      else done();
    });
    addLoadShedding(server, shedder);
    server.get('/health/live', () => 'alive');
    server.get('/served', () => 'served');
    server.get('/endless', () => {
      arrived++;
      return new Promise(() => undefined);
    });
    await server.listen({ port: 0 });
    ({ port } = server.server.address() as AddressInfo);
  });
  afterAll(() => server.close());
  beforeEach(() => finished.mockClear());

  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();

  it('are those that it accepted: none that another limit refused, no health check', async () => {
    for (const path of ['/refused', '/health/live', '/served']) await get(path);
    await until(() => finished.mock.calls.length > 0);
    expect(finished).toHaveBeenCalledTimes(1);
  });

  it('include those whose client disconnected', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => arrived === 1);
    expect(finished).not.toHaveBeenCalled();
    socket.destroy();
    await once(socket, 'close');
    await until(() => finished.mock.calls.length > 0);
    expect(finished).toHaveBeenCalledTimes(1);
  });
});
