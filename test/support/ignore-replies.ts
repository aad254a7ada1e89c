import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { faker } from './faker';
import { startApiProcess } from './api-process';
import { saveFakeCustomer } from './factories/customer.factory';
import { saveFakeToken } from './factories/service-token.factory';
import { saveLargeTickets } from './factories/ticket.factory';
import { startNginx } from './nginx-proxy';
import { rssMb } from './send-hostile-bodies';
import { connectAsSuperuser, createTestDatabase } from './test-database';

/** How much one customer asks for without reading it. */
export interface ReplyFlood {
  connections: number;
  /** Of these it keeps so many; with a further one the oldest is closed. */
  mostOpen?: number;
  /** No further one is opened after so many refusals for replies that are not read. */
  refusals?: number;
  /** Nor after this time. */
  longestMs?: number;
  /** Time between two of them. */
  everyMs: number;
  /** Whether all go through nginx. */
  proxied?: boolean;
  /** How long the neighbour is measured before. */
  quietMs: number;
  settings?: Record<string, string>;
}

/** Replies that another customer got, and how long it waited for 99 % of them. */
interface Neighbour {
  statuses: number[];
  p99Ms: number;
}

/** What was seen while replies were not read. */
export interface Observed {
  before: Neighbour;
  meanwhile: Neighbour;
  /** Statuses of the attacker's own calls that it read, with what they said. */
  attacker: { status: number; detail: string }[];
  largestRssMb: number;
  alive: boolean;
}

/** Another customer that goes on asking, in a thread of its own. It answers each message with what it has seen since the last. */
const NEIGHBOUR = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Agent, get } = require('node:http');
  const agent = new Agent({ keepAlive: true });
  const { urls, token } = workerData;
  let seen = [], turn = 0;
  const ask = () => {
    const begun = performance.now();
    const done = (status) => { seen.push([status, performance.now() - begun]); setTimeout(ask, 10); };
    get(urls[turn++ % urls.length], { agent, headers: { authorization: 'Bearer ' + token } }, (reply) => { reply.resume(); reply.on('end', () => done(reply.statusCode)); }).on('error', () => done(599));
  };
  ask();
  parentPort.on('message', () => { parentPort.postMessage(seen); seen = []; });
`;

/** Starts the built API as in a container of 1 GB. One customer asks for large replies in every way and does not read them. */
export async function floodWithUnreadReplies(flood: ReplyFlood): Promise<Observed> {
  const database = await createTestDatabase();
  const superuser = await connectAsSuperuser(database);
  const arrange = async (tickets: number, replies: number) => {
    const { id } = await saveFakeCustomer(superuser);
    await saveLargeTickets(superuser, id, tickets, replies);
    return { customerId: id, token: (await saveFakeToken(superuser, id)).token };
  };
  const [attacker, neighbour] = [await arrange(200, 10), await arrange(2, 1)];
  await saveLargeTickets(superuser, attacker.customerId, 1, 200);
  await superuser.query('update customer set requests_per_minute = 1000000 where id = $1', [neighbour.customerId]);
  const { rows } = await superuser.query<{ id: string }>(
    `select ticket_id as id from support_ticket_reply where customer_id = $1
     group by ticket_id order by count(*) desc limit 1`,
    [attacker.customerId],
  );
  const api = await startApiProcess({
    DATABASE_URL: database.url,
    NODE_OPTIONS: '--max-old-space-size=512 --max-semi-space-size=64',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '100000',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
    ...flood.settings,
  });
  const proxy = flood.proxied ? await startNginx(api.origin) : undefined;
  const baseUrl = proxy?.baseUrl ?? api.baseUrl;
  const urls = ['/customer', '/support/tickets?limit=10', '/services'].map((path) => baseUrl + path);
  const asking = new Worker(NEIGHBOUR, { eval: true, workerData: { urls, token: neighbour.token } });
  await wait(flood.quietMs);
  const before = await seenBy(asking);
  let largestRssMb = 0;
  const sampling = setInterval(() => (largestRssMb = Math.max(largestRssMb, rssMb(api.child.pid))), 20);
  const own = await ignoreReplies(baseUrl, attacker.token, rows[0]?.id ?? '', flood);
  const meanwhile = await seenBy(asking);
  clearInterval(sampling);
  await asking.terminate();
  const alive = api.child.exitCode === null && api.child.signalCode === null;
  await proxy?.stop();
  await api.stop();
  await superuser.end();
  await database.drop();
  return { before, meanwhile, attacker: own, largestRssMb, alive };
}

/** Opens the connections one after the other. @returns the answers to calls beside them that are read */
async function ignoreReplies(
  baseUrl: string,
  token: string,
  ticket: string,
  { connections, everyMs, mostOpen = 200, refusals = Infinity, longestMs = Infinity }: ReplyFlood,
): Promise<Observed['attacker']> {
  const { port, pathname } = new URL(baseUrl);
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  const kinds = [
    `GET ${pathname}/support/tickets?limit=200 ${head}\r\n`,
    `GET ${pathname}/support/tickets?limit=200 ${head}Accept-Encoding: gzip\r\n\r\n`,
    `GET ${pathname}/support/tickets/${ticket} ${head}\r\n`,
    `POST ${pathname}/support/tickets/${ticket}/close ${head}Idempotency-Key: again\r\n\r\n`,
  ];
  const open: Socket[] = [];
  const answers: Observed['attacker'] = [];
  const until = performance.now() + longestMs;
  for (let count = 0; count < connections && performance.now() < until; count++) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.pause().write(faker.helpers.arrayElement(kinds).repeat(faker.number.int({ min: 1, max: 8 })));
    // Some take a little now and then.
    if (faker.datatype.boolean()) trickle(socket);
    open.push(socket);
    if (open.length > mostOpen) open.shift()?.destroy();
    await wait(everyMs);
    if (count % 10 !== 9) continue;
    // Any request is refused while they fill the share; a large one would wait for the others.
    const reply = await fetch(`${baseUrl}/customer`, { headers: { authorization: `Bearer ${token}` } });
    const { detail = '' } = (await reply.json()) as { detail?: string };
    answers.push({ status: reply.status, detail });
    if (answers.filter(({ detail }) => detail.includes('not read')).length >= refusals) break;
  }
  for (const socket of open) socket.destroy();
  return answers;
}

function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.read(1024), 500);
  socket.once('close', () => clearInterval(timer));
}

async function seenBy(asking: Worker): Promise<Neighbour> {
  const seen = await new Promise<[status: number, ms: number][]>((resolve) => {
    asking.once('message', resolve);
    asking.postMessage('report');
  });
  const times = seen.map(([, ms]) => ms).sort((one, other) => one - other);
  return {
    statuses: [...new Set(seen.map(([status]) => status))],
    p99Ms: times[Math.ceil(times.length * 0.99) - 1] ?? Infinity,
  };
}
