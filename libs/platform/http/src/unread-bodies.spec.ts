import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { until } from '@test/until';
import { boundPieces, comesInTooManyPieces, discardRest } from './unread-bodies';

describe('bodies in chunks of a byte', () => {
  let server: Server;
  let pieces: number;
  beforeEach(async () => {
    pieces = 0;
    server = createServer((request, reply) => {
      const closing = () =>
        reply.headersSent || reply.setHeader('x-closing', String(comesInTooManyPieces(request))).end();
      request.on('data', () => void (comesInTooManyPieces(request) && closing(), pieces++)).on('end', closing);
    });
    boundPieces(server);
    await once(server.listen(0), 'listening');
  });
  afterEach(() => void server.close());

  /** Sends requests on a connection. @returns the first reply */
  async function send(...requests: [head: string, chunks: number, bytesEach?: number][]): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port);
    for (const [head, chunks, bytes = 1] of requests) {
      const body = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`.repeat(chunks);
      socket.write(`${head}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
    }
    const [reply] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return reply.toString();
  }

  it('are dropped by the parser once they are too many', async () => {
    expect(await send(['POST / HTTP/1.1', 100_000])).toContain('x-closing: true');
    expect(pieces).toBe(274);
  });

  it('are dropped much earlier if nobody reads them, and once a reply was sent', async () => {
    expect(await send(['DELETE / HTTP/1.1', 1000])).toContain('x-closing: true');
    expect(pieces).toBe(65);
  });

  it('are whole of which nobody reads any, if they are large', async () => {
    expect(await send(['DELETE / HTTP/1.1', 200, 1000])).toContain('x-closing: false');
  });

  it('of which nobody reads any have 256 bytes on average: those of a body that is read may be smaller', async () => {
    expect(await send(['DELETE / HTTP/1.1', 200, 100])).toContain('x-closing: true');
    expect(await send(['POST / HTTP/1.1', 1000, 100])).toContain('x-closing: false');
  });

  it('take nothing from the request behind them, which may have come in the same piece', async () => {
    const bodies: string[] = [];
    server.prependListener('request', (request: IncomingMessage) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString())).on('end', () => bodies.push(body));
    });
    const socket = connect((server.address() as AddressInfo).port);
    const head = 'HTTP/1.1\r\nHost: x\r\n';
    const dropped = `DELETE / ${head}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(1000)}0\r\n\r\n`;
    socket.write(`${dropped}POST / ${head}Content-Length: 5\r\n\r\nwhole`);
    await until(() => bodies.length > 0);
    socket.destroy();
    expect(bodies).toContain('whole');
  });

  it('are whole if they are few, also behind others, on this connection or with a parser that is used again', async () => {
    for (let round = 0; round < 5; round++) {
      await send(['POST / HTTP/1.1', 3000]);
      pieces = 0;
      expect(await send(['POST / HTTP/1.1', 250], ['POST / HTTP/1.1', 250])).toContain('x-closing: false');
      await until(() => pieces === 500);
    }
  });
});

const MB = 1024 * 1024;

describe('discardRest', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  function begin() {
    const body = new PassThrough({ highWaterMark: 64 * MB });
    const overran = jest.fn();
    let ended = false;
    const done = discardRest(body as unknown as IncomingMessage, overran).then(() => (ended = true));
    return { body, overran, done, isOver: () => ended };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** A large body takes some turns. */
  const settle = async () => {
    for (let turns = 0; turns < 50; turns++) await turn();
  };

  it('ends with the body', async () => {
    const { body, overran, done } = begin();
    body.end(Buffer.alloc(MB));
    await done;
    jest.advanceTimersByTime(60_000);
    expect(overran).not.toHaveBeenCalled();
  });

  it('ends with the caller', async () => {
    const { body, overran, done } = begin();
    body.destroy(new Error('reset'));
    await done;
    expect(overran).not.toHaveBeenCalled();
  });

  it('takes 32 MB and no byte more', async () => {
    const { body, overran, isOver } = begin();
    for (let sent = 0; sent < 32; sent++) body.write(Buffer.alloc(MB));
    await settle();
    expect(overran).not.toHaveBeenCalled();
    body.write('a');
    await settle();
    expect(overran).toHaveBeenCalledTimes(1);
    expect(isOver()).toBe(true);
    expect(body.isPaused()).toBe(true);
  });

  it('leaves the turn to others when many large bodies come at once', async () => {
    const piece = Buffer.alloc(64 * 1024);
    let inTurn = 0;
    const discards = Array.from({ length: 40 }, () => {
      const { body, done } = begin();
      body.on('data', () => inTurn++);
      for (let sent = 0; sent < 32; sent++) body.write(piece);
      body.end();
      return done;
    });
    const turns: number[] = [];
    while (turns.reduce((sum, pieces) => sum + pieces, 0) < 40 * 32) {
      await turn();
      turns.push(inTurn);
      inTurn = 0;
    }
    await Promise.all(discards);
    expect(Math.max(...turns)).toBeLessThan(400);
  });

  it('takes 256 pieces of one byte', async () => {
    const { body, overran, isOver } = begin();
    for (let sent = 0; sent < 256; sent++) body.write('a');
    await settle();
    expect(overran).not.toHaveBeenCalled();
    for (let sent = 0; sent < 100; sent++) body.write('a');
    await settle();
    expect(overran).toHaveBeenCalledTimes(1);
    expect(isOver()).toBe(true);
  });

  it('takes 10 seconds, however slowly the body comes', async () => {
    const { body, overran, isOver } = begin();
    for (let second = 0; second < 9; second++) {
      body.write('a');
      await settle();
      jest.advanceTimersByTime(1000);
    }
    jest.advanceTimersByTime(999);
    expect(overran).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    await settle();
    expect(overran).toHaveBeenCalledTimes(1);
    expect(isOver()).toBe(true);
  });
});
