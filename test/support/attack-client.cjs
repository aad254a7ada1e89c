// A worker thread that sends requests: of a flood, the next when the last is answered, on several connections; of a neighbour, at fixed
// times, whatever becomes of the earlier ones.
const { Buffer } = require('node:buffer');
const { readlinkSync } = require('node:fs');
const { Agent, request: ask } = require('node:http');
const { connect } = require('node:net');
const { constants, setPriority } = require('node:os');
const { setTimeout } = require('node:timers');
const { URL } = require('node:url');
const { parentPort, workerData } = require('node:worker_threads');

const { origin, requests, connections, everyMs, localAddress, giveWay } = workerData;
// On Linux, threads have priorities of their own.
if (giveWay && process.platform === 'linux')
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').pop()), constants.priority.PRIORITY_LOW);
const agent = new Agent({ keepAlive: true, maxSockets: connections ?? Infinity });
let next = 0;
let stopped = false;
const nothing = () => ({ replies: [], onNew: [], tally: {}, texts: [] });
let seen = nothing();

function send() {
  const request = requests[next++ % requests.length];
  const { method, path, headers, body, chunks, pipelined, reconnect, abandonMs, held } = request;
  const begun = performance.now();
  return new Promise((resolve) => {
    const done = (status, text) => {
      seen.tally[status] = (seen.tally[status] ?? 0) + 1;
      if (everyMs) seen.replies.push(performance.now() - begun);
      if (everyMs && reconnect) seen.onNew.push(performance.now() - begun);
      if (text && !seen.texts.includes(text) && seen.texts.length < 20) seen.texts.push(text);
      resolve();
    };
    if (pipelined) return sendPipelined({ method, path, headers, pipelined }, done);
    if (chunks) return sendInChunks({ method, path, headers, chunks }, done);
    if (held) return holdConnections(request, done);
    const way = { agent: reconnect ? false : agent, localAddress };
    const sent = ask(`${origin}${path}`, { method, headers, ...way }, (reply) => {
      const error = [];
      const isRefusal = reply.statusCode === 429 || reply.statusCode >= 500;
      reply.on('data', (chunk) => isRefusal && error.push(chunk));
      reply.on('end', () => done(reply.statusCode, isRefusal && detailOf(Buffer.concat(error))));
      reply.on('error', () => done(0));
    });
    sent.on('error', () => done(abandonMs ? 'abandoned' : 0));
    sent.end(body);
    if (abandonMs) sent.on('finish', () => setTimeout(() => sent.destroy(), abandonMs));
  });
}

// A body of chunks of a byte, on a connection of its own.
function sendInChunks({ method, path, headers, chunks }, done) {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const head = Object.entries({ host, 'transfer-encoding': 'chunked', ...headers }).map((pair) => pair.join(': '));
  let reply = '';
  socket.on('data', (data) => {
    reply += data;
    const [, body] = reply.split('\r\n\r\n');
    const length = Number(/^content-length: (\d+)/im.exec(reply)?.[1]);
    if (body === undefined || body.length < length) return;
    socket.destroy();
    const status = Number(reply.split(' ')[1]);
    done(status, (status === 429 || status >= 500) && detailOf(body));
    done = () => undefined;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => done(0));
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${'1\r\nx\r\n'.repeat(chunks)}`);
}

// The same request many times in one write, on a connection of its own; counts the last reply.
function sendPipelined({ method, path, headers, pipelined }, done) {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname);
  const head = Object.entries({ host, ...headers }).map((pair) => pair.join(': '));
  let last = 0;
  socket.on('data', (data) => {
    for (const [, status] of data.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g)) last = Number(status);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => done(last));
  // A proxy answers all of them, and keeps the connection.
  socket.setTimeout(20_000, () => socket.destroy());
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`.repeat(pipelined));
}

// Connections whose requests never end. Counts the first replies, or 'closed'.
async function holdConnections({ method, path, headers, held, unfinishedBytes, again }, done) {
  const { hostname, port, host } = new URL(origin);
  const named = { host, ...headers, ...(unfinishedBytes === undefined ? { 'content-length': '1000' } : {}) };
  const head = Object.entries(named).map((pair) => `${pair.join(': ')}\r\n`);
  const line = `x-fill: ${'x'.repeat(Math.max(0, Math.min(unfinishedBytes ?? 0, 60_000) - 10))}\r\n`;
  const fill = unfinishedBytes ? line.repeat(Math.ceil(unfinishedBytes / 60_000)) : '\r\n{';
  const hold = () =>
    new Promise((resolve) => {
      let outcome = 'closed';
      const socket = connect(Number(port), hostname);
      open.add(socket);
      socket.once('data', (data) => (outcome = data.toString('latin1').split(' ')[1]));
      socket.on('error', () => undefined);
      const trickle = unfinishedBytes === undefined && setInterval(() => socket.write(' '), BYTE_EVERY_MS);
      socket.on('close', () => {
        clearInterval(trickle);
        open.delete(socket);
        seen.tally[outcome] = (seen.tally[outcome] ?? 0) + 1;
        if (again && !stopped) setTimeout(() => void hold().then(resolve), AGAIN_MS);
        else resolve();
      });
      if (unfinishedBytes !== 0) socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}${fill}`);
    });
  const all = [];
  while (all.length < held && !stopped) {
    for (let count = 0; count < OPENED_TOGETHER && all.length < held; count++) all.push(hold());
    await new Promise((opened) => setTimeout(opened, OPENED_EVERY_MS));
  }
  await Promise.all(all);
  done('ended');
}

const open = new Set();
// A byte of a slow body a second; of very many connections that alone would take the attacker's time.
const BYTE_EVERY_MS = requests.some(({ held }) => held > 1000) ? 5000 : 1000;
const AGAIN_MS = 50;
// 4,000 connections a second.
const [OPENED_TOGETHER, OPENED_EVERY_MS] = [40, 10];

function detailOf(body) {
  try {
    const { status, detail } = JSON.parse(body);
    return `${status}: ${detail}`;
  } catch {
    return undefined;
  }
}

async function flood() {
  while (!stopped) await send();
}

const work = everyMs ? [] : Array.from({ length: connections }, flood);
const timer = everyMs && setInterval(() => void work.push(send()), everyMs);

parentPort.on('message', async (what) => {
  if (what === 'look') return parentPort.postMessage(seen);
  if (what === 'begin anew') return void (seen = nothing());
  stopped = true;
  clearInterval(timer);
  for (const socket of open) socket.destroy();
  if (everyMs) await Promise.all(work);
  parentPort.postMessage(seen);
  agent.destroy();
  parentPort.close();
});
