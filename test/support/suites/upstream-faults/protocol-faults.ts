import { gzipSync } from 'node:zlib';
import { rawReply } from '../../raw-server';
import { bodyOf, REPLY_MARK, type UpstreamFault } from './fault';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const bomb = gzipSync(Buffer.alloc(10_000_000)).toString('latin1');

const raw = (name: string, meaning: UpstreamFault['meaning'], outcome: RegExp, reply: string): UpstreamFault => ({
  name,
  meaning,
  outcome,
  answer: (socket) => socket.write(reply, 'latin1'),
});

/** Faults of the protocol. */
export const protocolFaults: UpstreamFault[] = [
  raw('it speaks something else', 'lost', /^not_http$/, `SSH-2.0-${REPLY_MARK}\r\n`),
  raw('it speaks HTTP of a version that is not', 'lost', /^not_http$/, 'HTTP/9.9 200 OK\r\n\r\n'),
  raw('its status is no number', 'lost', /^not_http$/, 'HTTP/1.1 OK\r\n\r\n'),
  raw('a header has no name', 'lost', /^not_http$/, `${head}${REPLY_MARK}\r\n\r\n`),
  raw('a header has a NUL', 'lost', /^not_http$/, `${head}x: a\0b\r\ncontent-length: 2\r\n\r\n{}`),
  raw('its headers have no end', 'lost', /^too_large$/, `${head}${`x: ${'y'.repeat(1000)}\r\n`.repeat(100)}`),
  raw('its length is no number', 'lost', /^not_http$/, `${head}content-length: many\r\n\r\n{}`),
  raw(
    'it gives two lengths',
    'lost',
    /^(not_http|cut_off)$/,
    `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `,
  ),
  raw('its chunks are none', 'lost', /^not_http$/, `${head}transfer-encoding: chunked\r\n\r\nZZ\r\n${REPLY_MARK}`),
  raw(
    'a chunk has more bytes than there are',
    'lost',
    /^not_http$/,
    `${head}transfer-encoding: chunked\r\n\r\n${'F'.repeat(30)}\r\n`,
  ),
  raw(
    'it switches protocols',
    'lost',
    /^(disconnected|not_http)$/,
    'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ),
  {
    name: 'it gives hints first',
    meaning: 'ok',
    outcome: /^200$/,
    answer: (socket, good) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${good}`),
  },
  {
    name: 'it repeats headers',
    meaning: 'ok',
    outcome: /^200$/,
    answer: (socket, good) =>
      socket.write(good.replace('\r\n', '\r\nrequest-id: a\r\nrequest-id: b\r\nx: 1\r\nx: 2\r\n')),
  },
  {
    name: 'it sends the good reply in chunks of a byte',
    meaning: 'ok',
    outcome: /^200$/,
    answer: (socket, good) => {
      const extra = /\r\nfiken-api-page-count: \d+/.exec(good)?.[0] ?? '';
      const chunks = [...Buffer.from(bodyOf(good))].map((byte) => `1\r\n${String.fromCharCode(byte)}\r\n`);
      socket.write(
        `HTTP/1.1 200 OK${extra}\r\ntransfer-encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`,
        'latin1',
      );
    },
  },
  {
    name: 'it ends the connection after a good reply',
    meaning: 'ok',
    outcome: /^200$/,
    answer: (socket, good) => socket.end(good),
  },
  {
    name: 'it sends an unexpected second reply',
    meaning: 'ok',
    outcome: /^200$/,
    answer: (socket, good) => socket.write(good + rawReply(500, REPLY_MARK)),
  },
  raw('it announces a giant', 'lost', /^too_large$/, `${head}content-length: 10000000000\r\n\r\n{`),
  {
    name: 'it sends a giant without a word',
    meaning: 'lost',
    outcome: /^too_large$/,
    answer: (socket) => {
      socket.write(`${head}connection: close\r\n\r\n"`);
      const block = Buffer.alloc(1024 * 1024, 'x');
      const more = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', more);
      more();
    },
  },
  raw(
    'it packs a giant',
    'unreadable',
    /^unexpected$/,
    `${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n${bomb}`,
  ),
  raw('it answers 204', 'no_content', /^(204|unexpected|not_json)$/, 'HTTP/1.1 204 No Content\r\n\r\n'),
  raw('it answers 200 with nothing', 'unreadable', /^not_json$/, rawReply(200)),
  raw('it answers 200 with HTML', 'unreadable', /^not_json$/, rawReply(200, `<html>${REPLY_MARK}</html>`)),
  raw('it answers 200 with half of JSON', 'unreadable', /^not_json$/, rawReply(200, `{"id":"${REPLY_MARK}`)),
  raw('it answers 200 with NUL bytes', 'unreadable', /^not_json$/, rawReply(200, '\0'.repeat(100))),
  raw(
    'it answers 200 with bytes that are no text',
    'unreadable',
    /^not_json$/,
    rawReply(200, '\xff\xfe\xfd', { 'content-length': '3' }),
  ),
  raw('it gives a length too short', 'unreadable', /^not_json$/, rawReply(200, '{"a":1}', { 'content-length': '4' })),
  raw('it answers 200 with null', 'unreadable', /^unexpected$/, rawReply(200, 'null')),
  raw('it answers 200 with a text', 'unreadable', /^unexpected$/, rawReply(200, `"${REPLY_MARK}"`)),
  raw(
    'it answers 200 with an object of another kind',
    'unreadable',
    /^unexpected$/,
    rawReply(200, `{"x":"${REPLY_MARK}"}`),
  ),
  raw(
    'it answers 200 with JSON five thousand deep',
    'unreadable',
    /^unexpected$/,
    rawReply(200, `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`),
  ),
];
