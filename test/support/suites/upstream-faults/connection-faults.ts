import { freePort } from '../../free-port';
import type { RawServer } from '../../raw-server';
import { drip, type UpstreamFault } from './fault';

const secure = ({ port }: RawServer) => `https://127.0.0.1:${port}`;

/** Faults of the connection to the upstream. */
export const connectionFaults: UpstreamFault[] = [
  {
    name: 'its name does not exist',
    meaning: 'unsent',
    outcome: /^no_such_name$/,
    address: () => 'http://no-such-name.invalid',
  },
  {
    name: 'nothing listens',
    meaning: 'unsent',
    outcome: /^refused$/,
    address: async () => `http://127.0.0.1:${await freePort()}`,
  },
  {
    name: 'it does not speak TLS',
    meaning: 'unsent',
    outcome: /^tls$/,
    address: secure,
    greet: (s) => s.write('no TLS'),
  },
  {
    name: 'it ends the connection while TLS is agreed on',
    meaning: 'unsent',
    outcome: /^tls$/,
    address: secure,
    greet: (socket) => socket.once('data', () => socket.end()),
  },
  {
    name: 'it resets the connection while TLS is agreed on',
    meaning: 'unsent',
    outcome: /^tls$/,
    address: secure,
    greet: (socket) => socket.once('data', () => socket.resetAndDestroy()),
  },
  {
    name: 'it says nothing to TLS',
    meaning: 'unsent',
    outcome: /^timeout_(connect|total)$/,
    hangs: true,
    address: secure,
  },
  { name: 'its certificate is not trusted', meaning: 'unsent', outcome: /^tls$/, tls: true },
  {
    name: 'it resets the connection at once',
    meaning: ['unsent', 'lost'],
    outcome: /^disconnected$/,
    greet: (socket) => socket.resetAndDestroy(),
  },
  {
    name: 'it ends the connection at once',
    meaning: 'lost',
    outcome: /^disconnected$/,
    greet: (socket) => socket.end(),
  },
  {
    name: 'it resets the connection after the request',
    meaning: 'lost',
    outcome: /^disconnected$/,
    answer: (socket) => socket.resetAndDestroy(),
  },
  {
    name: 'it ends the connection after the request',
    meaning: 'lost',
    outcome: /^disconnected$/,
    answer: (socket) => socket.end(),
  },
  { name: 'it never answers', meaning: 'lost', outcome: /^timeout_total$/, hangs: true, answer: () => undefined },
  {
    name: 'it stops within the status line',
    meaning: 'lost',
    outcome: /^timeout_total$/,
    hangs: true,
    answer: (socket) => socket.write('HTTP/1.1 20'),
  },
  {
    name: 'it ends within the status line',
    meaning: 'lost',
    outcome: /^(cut_off|disconnected|not_http)$/,
    answer: (socket) => socket.end('HTTP/1.1 20'),
  },
  {
    name: 'it drips headers',
    meaning: 'lost',
    outcome: /^timeout_total$/,
    hangs: true,
    answer: (socket) => drip(socket, 'x', 'HTTP/1.1 200 OK\r\nx-long: '),
  },
  {
    name: 'it stops after the headers',
    meaning: 'lost',
    outcome: /^timeout_total$/,
    hangs: true,
    answer: (socket, good) => socket.write(good.slice(0, good.indexOf('\r\n\r\n') + 4)),
  },
  {
    name: 'it drips the body a byte at a time',
    meaning: 'lost',
    outcome: /^timeout_total$/,
    hangs: true,
    answer: (socket) => drip(socket, ' ', 'HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n'),
  },
  {
    name: 'it drips chunks',
    meaning: 'lost',
    outcome: /^timeout_total$/,
    hangs: true,
    answer: (socket) => drip(socket, '1\r\n \r\n', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'),
  },
  {
    name: 'it stops halfway',
    meaning: 'lost',
    outcome: /^timeout_total$/,
    hangs: true,
    answer: (socket, good) => socket.write(good.slice(0, -1)),
  },
  {
    name: 'it says for ever that it is at it',
    meaning: 'lost',
    outcome: /^timeout_total$/,
    hangs: true,
    answer: (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  },
  {
    name: 'it ends halfway',
    meaning: 'lost',
    outcome: /^cut_off$/,
    answer: (socket, good) => socket.end(good.slice(0, -1)),
  },
  {
    name: 'it resets halfway',
    meaning: 'lost',
    outcome: /^cut_off$/,
    answer: (socket, good) => socket.write(good.slice(0, -1), () => setTimeout(() => socket.resetAndDestroy(), 20)),
  },
  {
    name: 'it ends before the last chunk',
    meaning: 'lost',
    outcome: /^cut_off$/,
    answer: (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'),
  },
];
