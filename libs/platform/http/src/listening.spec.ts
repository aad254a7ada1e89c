import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, BlockList, connect, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Controller, Get, Module } from '@nestjs/common';
import { type HttpAdapterHost, NestFactory } from '@nestjs/core';
import { loadConfig } from '@platform/config';
import { freePort } from '@test/free-port';
import type { GatedServer } from './connections';
import { Draining, listen, ListeningSockets } from './listening';

const HOST = '127.0.0.1';
const CALLERS = 200;
/** As many as a flood makes wait at a time. */
const MANY_CALLERS = 1000;

@Controller()
class Greeting {
  @Get()
  greet(): string {
    return 'hello';
  }

  @Get('slow')
  work(): string {
    const end = performance.now() + 0.5;
    while (performance.now() < end);
    return 'hello';
  }
}

@Module({ controllers: [Greeting] })
class GreetingModule {}

/** Turns of the event loop that accepting these may take; elsewhere there is one socket, and it takes one turn each. */
const MAX_TURNS = process.platform === 'linux' ? MANY_CALLERS / 8 : MANY_CALLERS;

/** A process that sends each request on a new connection, 48 at a time, from when they are accepted until none is. It prints how they ended. */
const CALLER = `
const { connect } = require('node:net');
const tally = { answered: 0, lost: 0 };
let refused = 0;
const call = () => {
  const socket = connect(Number(process.argv[1]), '${HOST}');
  let [isConnected, reply] = [false, ''];
  socket.on('connect', () => {
    isConnected = true;
    socket.write('GET /slow HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n');
  });
  socket.on('data', (chunk) => (reply += chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => {
    if (isConnected) {
      const isAnswered = reply.endsWith('hello');
      if (++tally[isAnswered ? 'answered' : 'lost'] === 200) console.log('busy');
      call();
    } else if (tally.answered === 0) {
      if (++refused === 200) console.log('refused');
      setTimeout(call, 1);
    }
  });
};
for (let place = 0; place < 48; place++) call();
process.on('exit', () => console.log(JSON.stringify(tally)));
`;

/** Of the sockets, when the callers of {@link THREAD} connect. */
const SOME_CLOSED = 4;

/** A thread whose callers connect when it is told to, says so in the given memory, and tells how many were answered. */
const THREAD = `
const { connect } = require('node:net');
const { parentPort, workerData: { port, callers } } = require('node:worker_threads');
parentPort.once('message', async (isConnected) => {
  let connected = 0;
  const call = () => new Promise((resolve) => {
    let reply = '';
    const socket = connect(port, '${HOST}', () => {
      socket.write('GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n');
      if (++connected < callers) return;
      Atomics.store(isConnected, 0, 1);
      Atomics.notify(isConnected, 0);
    });
    socket.on('data', (chunk) => (reply += chunk)).on('error', () => undefined);
    socket.on('close', () => resolve(reply.endsWith('hello')));
  });
  const replies = await Promise.all(Array.from({ length: callers }, call));
  parentPort.postMessage(replies.filter(Boolean).length);
});
`;

describe('listening', () => {
  let app: NestFastifyApplication;
  let port: number;

  beforeEach(async () => {
    app = await NestFactory.create<NestFastifyApplication>(GreetingModule, new FastifyAdapter(), { logger: false });
    port = await freePort();
  });

  afterEach(() => app.close());

  async function ask(): Promise<string> {
    const socket = connect(port, HOST);
    let reply = '';
    socket.on('data', (chunk: Buffer) => (reply += chunk.toString()));
    socket.end('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    await once(socket, 'close');
    return reply;
  }

  it('accepts many connections in one turn of the event loop, and answers on all of them', async () => {
    await listen(app, { host: HOST, port });
    const accepted: number[] = [];
    const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;
    app.getHttpServer().on('connection', () => accepted.push(turns()));
    const replies = await Promise.all(Array.from({ length: MANY_CALLERS }, ask));
    const served = replies.filter((reply) => reply.startsWith('HTTP/1.1 200') && reply.endsWith('hello'));
    expect(served).toHaveLength(MANY_CALLERS);
    expect(accepted).toHaveLength(MANY_CALLERS);
    expect(new Set(accepted).size).toBeLessThanOrEqual(MAX_TURNS);
  });

  it('asks the gate of the server at each of its sockets, before anything is made of a connection', async () => {
    const server: GatedServer = app.getHttpServer();
    let refused = 0;
    server.blockList = Object.assign(new BlockList(), { check: () => ++refused > 0 });
    let begun = 0;
    server.on('connection', () => begun++);
    await listen(app, { host: HOST, port });
    await Promise.all(Array.from({ length: CALLERS }, () => ask().catch(() => undefined)));
    expect({ refused, begun }).toEqual({ refused: CALLERS, begun: 0 });
  });

  it('told to stop, answers those who wait to be accepted, and refuses others', async () => {
    const sockets = new ListeningSockets();
    await listen(app, { host: HOST, port }, sockets);
    // The system has connected them, and nobody has accepted them yet.
    const replies = Array.from({ length: CALLERS }, ask);
    const ended = sockets.stop();
    expect((await Promise.all(replies)).filter((reply) => reply.endsWith('hello'))).toHaveLength(CALLERS);
    await ended;
    await expect(fetch(`http://${HOST}:${port}/`)).rejects.toThrow('fetch failed');
    await app.close();
  });

  it('told to stop, answers those who connect to a socket while others are closed', async () => {
    const caller = new Worker(THREAD, { eval: true, workerData: { port, callers: CALLERS } });
    const isConnected = new Int32Array(new SharedArrayBuffer(4));
    const sockets = new ListeningSockets();
    let closed = 0;
    const add = sockets.add.bind(sockets);
    sockets.add = (server) => {
      const close = server.close.bind(server);
      server.close = (done) => {
        if (++closed === SOME_CLOSED) {
          caller.postMessage(isConnected);
          Atomics.wait(isConnected, 0, 0);
          // As long as a machine may hold a process up that has much else to do.
          Atomics.wait(isConnected, 0, 1, 600);
        }
        return close(done);
      };
      add(server);
    };
    await listen(app, { host: HOST, port }, sockets);
    const answered = once(caller, 'message');
    await sockets.stop();
    // Those on the socket that was about to close cannot be saved.
    expect((await answered)[0]).toBeGreaterThan(CALLERS * 0.8);
    await caller.terminate();
    await app.close();
  });

  it('starting and stopping under a load of new connections, loses none that was accepted', async () => {
    const caller = spawn(process.execPath, ['-e', CALLER, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(caller.stdout, 'data');
    const sockets = new ListeningSockets();
    await listen(app, { host: HOST, port }, sockets);
    await once(caller.stdout, 'data');
    const said = text(caller.stdout);
    await sockets.stop();
    expect(JSON.parse(await said)).toEqual({ answered: expect.any(Number) as number, lost: 0 });
    await app.close();
  });

  it('is on one port, whichever the system gives', async () => {
    await listen(app, { host: HOST, port: 0 });
    ({ port } = app.getHttpServer().address() as AddressInfo);
    expect(await Promise.all(Array.from({ length: 50 }, ask))).toHaveLength(50);
  });

  it('ends for all sockets with the application, after what is in progress', async () => {
    await listen(app, { host: HOST, port });
    await Promise.all([ask(), ask(), ask()]);
    await app.close();
    await expect(ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const next = createServer().listen(port, HOST);
    await once(next, 'listening');
    next.close();
  });

  it('does not share a port with another process that does the same', async () => {
    await listen(app, { host: HOST, port });
    const other = await NestFactory.create<NestFastifyApplication>(GreetingModule, new FastifyAdapter(), {
      logger: false,
    });
    await expect(listen(other, { host: HOST, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await other.close();
  });
});

describe('draining', () => {
  afterEach(() => jest.useRealTimers());

  it('leaves no timer when the server is closed', () => {
    jest.useFakeTimers();
    const adapterHost = { httpAdapter: { getHttpServer: () => createServer() } } as unknown as HttpAdapterHost;
    const draining = new Draining(loadConfig({ NODE_ENV: 'test' }), adapterHost, new ListeningSockets());
    draining.onModuleDestroy();
    expect(jest.getTimerCount()).toBeGreaterThan(0);
    draining.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
  });
});
