import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { createTimeShares, TimeShares } from '@platform/fairness';
import { Logger } from '@nestjs/common';
import { until } from '@test/until';
import { boundConnections } from './connections';
import { chargeReplies, FairTurns, LoadShedder, type LoadSheddingParts, type MeasuredDatabase } from './load-shedding';

/** A database without load, and callers who say who they are. */
const parts = (database: Partial<MeasuredDatabase> = {}): LoadSheddingParts => ({
  database: { queueDelayMs: () => 0, reportTime: () => undefined, ...database },
  callerOf: ({ headers }) => headers['x-customer'] as string | undefined,
});

describe('the waiting time of a new request', () => {
  let now = 0;
  let queued = 0;
  let server: FastifyInstance;
  let shares: TimeShares;
  let reported: Parameters<MeasuredDatabase['reportTime']>[0];
  let measure: jest.SpyInstance<void, Parameters<TimeShares['measure']>>;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'] });
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    measure = jest.spyOn(TimeShares.prototype, 'measure');
    [now, queued] = [0, 0];
    server = fastify();
    const database = { queueDelayMs: () => queued, reportTime: (report: typeof reported) => (reported = report) };
    shares = createTimeShares(100);
    new LoadShedder(shares, parts(database)).addTo(server);
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

  it('is that of the first request that waits for its turn, if that is longer, with how many wait', () => {
    const longest = jest.spyOn(FairTurns.prototype, 'longestMs', 'get').mockReturnValue(70);
    const waiting = jest.spyOn(FairTurns.prototype, 'waiting', 'get').mockReturnValue(200);
    expect(pass(0, 0, 0, 0, 0)).toBe(70);
    expect(measure.mock.lastCall).toEqual([70, true, 200]);
    longest.mockReturnValue(10);
    expect(pass(100, 100, 100, 100, 100)).toBeGreaterThan(60);
    expect(measure.mock.lastCall?.[2]).toBe(0);
    for (const spy of [longest, waiting]) spy.mockRestore();
  });

  it('is hardly moved by one stall', () => {
    expect(pass(0, 0, 0, 100, 0)).toBe(30);
    expect(pass(0, 0, 0, 0, 0)).toBeLessThan(10);
  });

  it('is that of the queue if it is longer', () => {
    queued = 70;
    expect(pass(0, 0, 0, 100, 0)).toBe(70);
    expect(measure.mock.lastCall?.[1]).toBe(false);
    expect(pass(100, 100, 100, 100, 100)).toBeGreaterThan(70);
    expect(measure.mock.lastCall?.[1]).toBe(true);
  });

  it('is no work of the database: customers are charged for what is left of its time, by its connections', () => {
    const charge = jest.spyOn(shares, 'charge');
    reported({ customers: ['a', 'b'], bytes: [500, 2500], ms: 80, connections: 4 });
    expect(charge.mock.calls).toEqual([
      ['a', 5],
      ['b', 15],
    ]);
    charge.mockClear();
    pass(0, 0, 50, 0, 0);
    reported({ customers: ['a'], bytes: [0], ms: 40, connections: 2 });
    expect(charge).not.toHaveBeenCalled();
    reported({ customers: ['a'], bytes: [0], ms: 90, connections: 2 });
    expect(charge.mock.calls).toEqual([['a', expect.closeTo(21.5, 1)]]);
  });

  it('is not measured any more once the server has closed', async () => {
    await server.close();
    expect(pass(0, 0, 0, 0, 0)).toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a customer whose requests wait for each other', () => {
  let now = 0;
  let isKnown = true;
  let shares: TimeShares;
  let server: FastifyInstance;
  let finished: jest.SpyInstance;
  beforeEach(async () => {
    shares = new TimeShares({ targetMs: 40, standingMs: 1000 }, () => now);
    finished = jest.spyOn(shares, 'finish');
    server = fastify();
    const callerOf: LoadSheddingParts['callerOf'] = (request) => (isKnown ? parts().callerOf(request) : undefined);
    new LoadShedder(shares, { ...parts(), callerOf }).addAdmission(server);
    server.addHook('preHandler', (request, _reply, done) => {
      const id = request.headers['x-customer'];
      if (typeof id === 'string') request.customer = { customerId: id } as typeof request.customer;
      done();
    });
    for (const path of ['/health/live', '/served']) server.get(path, () => 'served');
    await server.listen({ port: 0 });
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await server.close();
  });

  const ask = async (customer?: string, path = '/served') => {
    const { port } = server.server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: customer === undefined ? {} : { 'x-customer': customer },
    });
    await reply.text();
    return reply.status;
  };
  /** Requests of a customer that cost much, while new ones wait. */
  const overload = async (customer: string) => {
    for (let count = 0; count < 20; count++) await ask(customer);
    await until(() => finished.mock.calls.filter(([party]) => party === customer).length >= 20);
    shares.charge(customer, 20_000);
    // What has ended at once is no measure of what can be served in a second.
    for (let tick = 0; tick < 18; tick++) {
      now += 100;
      shares.measure(tick < 15 ? 0 : 30, true);
    }
    expect(shares.isHolding).toBe(true);
  };
  const statuses = async (customer: string) => {
    const seen = new Set<number>();
    for (let count = 0; count < 10; count++) seen.add(await ask(customer));
    return seen;
  };

  it('is not refused because the proxy asks for the health of the process: nobody else waits', async () => {
    for (let count = 0; count < 5; count++) await ask(undefined, '/health/live');
    await overload('a');
    expect(await statuses('a')).toEqual(new Set([200]));
  });

  it('is not refused because its network seems to wait: requests from before its token was looked at are its own', async () => {
    for (let tick = 0; tick < 3; tick++) {
      now += 100;
      shares.measure(30, true);
    }
    isKnown = false;
    for (let count = 0; count < 5; count++) await ask('a');
    await until(() => finished.mock.calls.length === 5);
    isKnown = true;
    await overload('a');
    expect(await statuses('a')).toEqual(new Set([200]));
  });

  it('is refused if others wait, too', async () => {
    for (let count = 0; count < 5; count++) await ask();
    await overload('a');
    expect(await statuses('a')).toEqual(new Set([200, 429]));
  });
});

describe('requests that the load shedder counts', () => {
  let server: FastifyInstance;
  let shares: TimeShares;
  let shedder: LoadShedder;
  let port: number;
  let finished: jest.SpyInstance;
  let charged: jest.SpyInstance;
  let arrived = 0;
  let authenticating = 0;

  beforeAll(async () => {
    shares = createTimeShares(100);
    finished = jest.spyOn(shares, 'finish');
    charged = jest.spyOn(shares, 'charge');
    server = fastify();
    boundConnections(server.server, { most: 100, direct: false });
    server.addHook('onRequest', (request, reply, done) => {
      if (request.url === '/refused') void reply.code(429).send();
      else done();
    });
    shedder = new LoadShedder(shares, parts());
    shedder.addAdmission(server);
    chargeReplies(server, shares);
    // Authenticates, after the load shedder.
    server.addHook('preHandler', (request, reply, done) => {
      const id = request.headers['x-customer'];
      if (request.url === '/slow') return void authenticating++;
      if (request.url === '/unauthorized') return void reply.code(401).send();
      if (typeof id === 'string') request.customer = { customerId: id } as typeof request.customer;
      done();
    });
    server.get('/health/live', () => 'alive');
    server.get('/served', () => 'served');
    for (const path of ['/slow', '/unauthorized']) server.get(path, () => 'never');
    server.get('/large', () => 'x'.repeat(1_000_000));
    server.get('/endless', () => {
      arrived++;
      return new Promise(() => undefined);
    });
    await server.listen({ port: 0 });
    ({ port } = server.server.address() as AddressInfo);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    finished.mockClear();
    charged.mockClear();
  });

  const get = (path: string, customer?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: customer === undefined ? {} : { 'x-customer': customer } });

  it('are those that it accepted: none that another limit refused', async () => {
    for (const path of ['/refused', '/served']) await (await get(path)).text();
    await until(() => finished.mock.calls.length > 0);
    expect(finished.mock.calls).toEqual([['127.0.0.1', false]]);
  });

  it('are let in even if they are health checks, which take turns, too, but are never refused', async () => {
    const spies = [
      jest.spyOn(shares, 'isHolding', 'get').mockReturnValue(true),
      jest.spyOn(shares, 'admit').mockReturnValue('all_used'),
      jest.spyOn(FairTurns.prototype, 'isLate', 'get').mockReturnValue(true),
    ];
    const wait = jest.spyOn(FairTurns.prototype, 'wait');
    const reply = await get('/health/live');
    expect([reply.status, await reply.text()]).toEqual([200, 'alive']);
    expect(wait.mock.calls).toEqual([['127.0.0.1', expect.any(Function)]]);
    for (const spy of [...spies, wait]) spy.mockRestore();
  });

  it('are admitted when it is their turn, by when they came', async () => {
    const spies = [
      jest.spyOn(shares, 'isHolding', 'get').mockReturnValue(true),
      jest.spyOn(FairTurns.prototype, 'isLate', 'get').mockReturnValue(true),
    ];
    const admit = jest.spyOn(shares, 'admit');
    const before = performance.now();
    expect((await get('/served', 'a')).status).toBe(200);
    expect(admit.mock.calls).toEqual([['a', true, expect.any(Number)]]);
    expect(admit.mock.lastCall?.[2]).toBeGreaterThan(before);
    for (const spy of [...spies, admit]) spy.mockRestore();
  });

  it('are not begun if their clients have gone while they waited to be accepted', async () => {
    const late = jest.spyOn(FairTurns.prototype, 'isLate', 'get').mockReturnValue(true);
    const [before, admit] = [arrived, jest.spyOn(shares, 'admit')];
    const COUNT = 10;
    // This process does nothing meanwhile: all are sent and closed before the first is accepted.
    const wire = 'GET /endless HTTP/1.1\r\nhost: a\r\nx-customer: gone\r\n\r\n';
    const client = `for (let count = 0; count < ${COUNT}; count++) {
      const socket = require('node:net').connect(${port}, '127.0.0.1');
      socket.end(${JSON.stringify(wire)}, () => socket.destroy());
    }`;
    spawnSync(process.execPath, ['-e', client], { stdio: 'inherit' });
    await until(() => finished.mock.calls.length === COUNT);
    expect(finished.mock.calls).toEqual(Array.from({ length: COUNT }, () => ['gone', false]));
    expect(arrived).toBe(before);
    expect(admit).not.toHaveBeenCalled();
    expect((await get('/served', 'there')).status).toBe(200);
    for (const spy of [late, admit]) spy.mockRestore();
  });

  it('are charged to the customer that their token names, if their client disconnected before they were authenticated', async () => {
    const socket = connect(port, '127.0.0.1');
    const before = authenticating;
    socket.write('GET /slow HTTP/1.1\r\nhost: a\r\nx-customer: c\r\n\r\n');
    await until(() => authenticating > before);
    socket.destroy();
    await until(() => finished.mock.calls.length > 0);
    expect(finished.mock.calls).toEqual([['c', false]]);
  });

  it('are charged to their network if their token is refused', async () => {
    expect((await get('/unauthorized', 'c')).status).toBe(401);
    await until(() => finished.mock.calls.length > 0);
    expect(finished.mock.calls).toEqual([['127.0.0.1', false]]);
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

  it('are charged to their customer, with the bytes of large replies', async () => {
    await (await get('/served', 'a')).text();
    await until(() => finished.mock.calls.length === 1);
    expect(finished.mock.calls[0]).toEqual(['a', false]);
    expect(charged).not.toHaveBeenCalled();
    await (await get('/large', 'b')).text();
    await until(() => finished.mock.calls.length === 2);
    expect(charged.mock.calls).toEqual([['b', expect.closeTo(10, 1)]]);
  });

  it('are refused with 429 if their own share is used up, and with 503 if all is', async () => {
    jest.spyOn(shares, 'isHolding', 'get').mockReturnValue(true);
    const admit = jest.spyOn(shares, 'admit');
    const untilShare = jest.spyOn(shares, 'secondsUntilShare').mockReturnValue(2.3);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const ask = async (customer?: string) => {
      const reply = await get('/served', customer);
      const { code, detail } = (await reply.json()) as { code: string; detail: string };
      return [reply.status, code, reply.headers.get('retry-after'), detail];
    };
    admit.mockReturnValue('share_used');
    const own = [429, 'rate_limited', '3'];
    for (let count = 0; count < 3; count++)
      expect(await ask('a')).toEqual([...own, expect.stringMatching(/^Your requests use more than your share/)]);
    expect(await ask()).toEqual([...own, expect.stringMatching(/^Requests without a valid token from your address/)]);
    // At least a second and at most a minute: what it is by then is not known.
    for (const [seconds, retryAfter] of [
      [0, '1'],
      [60.5, '60'],
    ] as const) {
      untilShare.mockReturnValueOnce(seconds);
      expect((await ask('a'))[2]).toBe(retryAfter);
    }
    const msg = 'requests are refused: they take more than their share of the time';
    expect(warn.mock.calls).toEqual([[{ msg, customer_id: 'a' }], [{ msg, address: '127.0.0.1' }]]);
    admit.mockReturnValue('all_used');
    expect(await ask('a')).toEqual([
      503,
      'service_unavailable',
      '1',
      expect.stringMatching(/^The service gets more requests/),
    ]);
    expect(admit.mock.calls.map(([party]) => party)).toEqual(['a', 'a', 'a', '127.0.0.1', 'a', 'a', 'a']);
    expect(shedder.refusals).toEqual({ share_used: 6, all_used: 1 });
    expect(finished).not.toHaveBeenCalled();
    admit.mockReturnValue('granted');
    expect((await get('/served', 'a')).status).toBe(200);
    await until(() => finished.mock.calls.length > 0);
    expect(finished.mock.calls).toEqual([['a', true]]);
    for (let count = 0; count < 20; count++) {
      admit.mockReturnValue('share_used');
      await ask(`other ${count}`);
    }
    expect(warn).toHaveBeenCalledTimes(10);
  });

  it('are refused as they come while all together ask for too much, and do not wait for their turn; who is the cause does', async () => {
    const begins: (() => void)[] = [];
    const spies = [
      jest.spyOn(shares, 'isHolding', 'get').mockReturnValue(true),
      jest.spyOn(shares, 'isOverloaded', 'get').mockReturnValue(true),
      jest.spyOn(FairTurns.prototype, 'isLate', 'get').mockReturnValue(true),
      jest.spyOn(FairTurns.prototype, 'wait').mockImplementation((_party, begin) => void begins.push(begin)),
      jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined),
    ];
    const admit = jest.spyOn(shares, 'admit').mockReturnValue('all_used');
    expect((await get('/served', 'a')).status).toBe(503);
    expect(begins).toEqual([]);
    for (const [grant, status] of [
      ['share_used', 429],
      ['granted', 200],
    ] as const) {
      admit.mockClear().mockReturnValue(grant);
      const asked = get('/served', 'a');
      await until(() => begins.length === 1);
      begins.pop()?.();
      expect((await asked).status).toBe(status);
      expect(admit).toHaveBeenCalledTimes(1);
    }
    for (const spy of [...spies, admit]) spy.mockRestore();
  });
});
