import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadConfig } from '@platform/config';
import { until } from '@test/until';
import { boundConnections, endIdleConnections, mostConnections, onReplyClosed } from './connections';

const newReply = () => new ServerResponse(new IncomingMessage(new Socket()));

describe('onReplyClosed', () => {
  it('does each work once, with one listener', () => {
    const reply = newReply();
    const done: string[] = [];
    onReplyClosed(reply, () => done.push('first'));
    onReplyClosed(reply, () => done.push('second'));
    expect(reply.listenerCount('close')).toBe(1);
    reply.emit('close');
    reply.emit('close');
    expect(done).toEqual(['first', 'second']);
  });

  it('keeps no reply alive that is done with, not even until the next major garbage collection', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;
    const REPLIES = 200;
    const BYTES_EACH = 100_000;
    const answer = () => {
      const reply = Object.assign(newReply(), { content: new Array<number>(BYTES_EACH / 8).fill(0.5) });
      onReplyClosed(reply, () => void reply.statusCode);
      reply.emit('close');
    };
    collect({ type: 'major' });
    const before = getHeapStatistics().used_heap_size;
    for (let index = 0; index < REPLIES; index++) answer();
    // Twice: what is alive in the first is copied, what is alive in the second stays until the next major collection.
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    const kept = getHeapStatistics().used_heap_size - before;
    expect(kept).toBeLessThan((REPLIES * BYTES_EACH) / 4);
  });
});

describe('mostConnections', () => {
  const config = loadConfig({});

  it('leaves descriptors for the database, and half of the rest for upstreams', () => {
    expect([256, 257, 258].map((descriptors) => mostConnections(config, descriptors))).toEqual([85, 86, 86]);
    expect(mostConnections(config, 1024)).toBe(469);
  });

  it('is what the settings say where there are enough', () => {
    expect(mostConnections(config, 1_000_000)).toBe(config.CLIENT_CONNECTIONS);
    expect(mostConnections(config, Infinity)).toBe(config.CLIENT_CONNECTIONS);
  });

  it('allows a few connections even with hardly any descriptors', () => {
    expect(mostConnections(config, 64)).toBeGreaterThan(0);
  });
});

describe('a connection', () => {
  let server: Server;
  let taken: string[];
  /** Requests whose headers were parsed. */
  let parsed = 0;
  class Parsed extends IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      parsed++;
    }
  }
  const replies = new Map<string, ServerResponse>();
  const answer = (path: string) => replies.get(path)?.end(path);

  beforeEach(async () => {
    [taken, parsed] = [[], 0];
    server = createServer({ IncomingMessage: Parsed }, (request, reply) => {
      taken.push(request.url ?? '');
      replies.set(request.url ?? '', reply);
    });
    boundConnections(server, { most: 1, direct: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1');
  const numbers = (count: number) => Array.from({ length: count }, (_, place) => `/${place}`);
  const send = (socket: Socket, paths: string[]) =>
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));

  it('takes 16 requests at once; those behind them have no effect, and the connection closes behind the last reply', async () => {
    const socket = open();
    const read = text(socket);
    send(socket, numbers(600));
    await until(() => taken.length >= 16);
    for (const path of numbers(16)) answer(path);
    const all = await read;
    expect(taken).toEqual(numbers(16));
    expect(all.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(16);
    expect(all.match(/connection: close/gi)).toHaveLength(1);
    expect(all.endsWith('/15')).toBe(true);
    // The one behind them told that the rest is to be thrown away.
    expect(parsed).toBeLessThan(20);
  });

  it('ends those that have been idle for long enough, and no other', async () => {
    const socket = open();
    let all = '';
    socket.on('data', (data: Buffer) => (all += data.toString()));
    for (const path of ['/first', '/second']) {
      send(socket, [path]);
      await until(() => taken.includes(path));
      endIdleConnections(server, 0);
      answer(path);
      await until(() => all.endsWith(path));
      endIdleConnections(server, 60_000);
    }
    endIdleConnections(server, 0);
    await once(socket, 'close');
  });

  it('takes any number one after another, and is not idle before the last in progress is answered', async () => {
    const socket = open();
    let all = '';
    socket.on('data', (data: Buffer) => (all += data.toString()));
    for (let round = 0; round < 3; round++) {
      const paths = numbers(15).map((path) => `/${round}${path}`);
      send(socket, paths);
      await until(() => taken.length === 15 * (round + 1));
      for (const path of paths.slice(0, -1)) answer(path);
      await until(() => all.endsWith(paths.at(-2) as string));
      // There is room for one connection, and it is in use.
      const other = open().on('error', () => undefined);
      await once(other, 'close');
      answer(paths.at(-1) as string);
      await until(() => all.endsWith(paths.at(-1) as string));
    }
    // Idle, it gives way.
    open();
    await once(socket, 'close');
  });
});

describe('the connections of a server', () => {
  let server: Server;
  let arrived = 0;
  const replies: ServerResponse[] = [];
  const start = async (direct: boolean) => {
    [arrived, replies.length] = [0, 0];
    server = createServer((_request, reply) => replies.push(reply));
    boundConnections(server, { most: 10, direct });
    server.on('connection', () => arrived++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  afterEach(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  /** Opens connections from an address, one after another. */
  const open = async (localAddress: string, count = 1) => {
    const sockets: Socket[] = [];
    for (let place = 0; place < count; place++) {
      const { port } = server.address() as AddressInfo;
      const before = arrived;
      sockets.push(connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined));
      await until(() => arrived > before);
    }
    return sockets;
  };
  const closed = (sockets: Socket[]) => sockets.map(({ closed }) => closed);
  const ask = async (sockets: Socket[]) => {
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => replies.length === sockets.length);
  };

  it('of one address are half of all at most: further ones replace its own', async () => {
    await start(true);
    const others = await open('127.0.0.2', 2);
    const many = await open('127.0.0.3', 20);
    await until(() => closed(many).filter(Boolean).length === 16);
    // Those that were opened last are left, and everybody else's.
    expect(closed(many).lastIndexOf(true)).toBe(15);
    const later = await open('127.0.0.4', 2);
    expect(closed([...others, ...many.slice(16), ...later])).toEqual(Array.from({ length: 8 }, () => false));
  });

  it('of one address shut nobody out while they are in use; further ones are closed before anything is made for them', async () => {
    await start(true);
    const many = await open('127.0.0.3', 5);
    await ask(many);
    const { port } = server.address() as AddressInfo;
    const more = Array.from({ length: 20 }, () =>
      connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' }).on('error', () => undefined),
    );
    await until(() => more.every((one) => one.closed));
    expect(arrived).toBe(5);
    const others = await open('127.0.0.2', 2);
    expect(closed([...many, ...others])).toEqual(Array.from({ length: 7 }, () => false));
  });

  it('of a proxy may be all that there are', async () => {
    await start(false);
    const all = await open('127.0.0.3', 10);
    await ask(all);
    expect(closed(all)).toEqual(Array.from({ length: 10 }, () => false));
    const [more] = await open('127.0.0.3');
    await until(() => more?.closed === true);
  });
});
