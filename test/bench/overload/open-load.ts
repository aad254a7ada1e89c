import { Pool } from 'undici';

/** A request to be sent. */
export interface Order {
  method: 'GET' | 'POST';
  path: string;
  token: string;
  body?: string;
}

/** What became of one request. */
export interface Answer {
  /** When it was sent and how long it took, in milliseconds. */
  at: number;
  ms: number;
  /** 0: no reply. */
  status: number;
}

/** In flight at most; beyond it callers would be turned away by the operating system. */
const IN_FLIGHT = 4000;
const EVERY_MS = 5;

/** Sends requests at a rate, whatever becomes of them: callers in the world do not wait for each other. */
export async function openLoad(origin: string, perSecond: number, seconds: number, next: () => Order) {
  const pool = new Pool(origin, { connections: IN_FLIGHT, pipelining: 1 });
  const answers: Answer[] = [];
  const startedAt = performance.now();
  let sent = 0;
  let inFlight = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      for (const due = Math.min(elapsed / 1000, seconds) * perSecond; sent < due; sent++) {
        if (inFlight >= IN_FLIGHT) continue;
        inFlight++;
        void answer(pool, next(), startedAt).then((one) => {
          inFlight--;
          answers.push(one);
        });
      }
      if (elapsed < seconds * 1000 || inFlight > 0) return;
      clearInterval(timer);
      resolve();
    }, EVERY_MS);
  });
  await pool.close();
  return { answers, sent };
}

/** Keeps so many requests under way. @returns how many a second were answered */
export async function closedLoad(origin: string, clients: number, seconds: number, next: () => Order): Promise<number> {
  const pool = new Pool(origin, { connections: clients, pipelining: 1 });
  const startedAt = performance.now();
  let answered = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - startedAt < seconds * 1000) {
        const { status } = await answer(pool, next(), startedAt);
        if (status > 0 && status < 500) answered++;
      }
    }),
  );
  await pool.close();
  return answered / seconds;
}

async function answer(pool: Pool, { method, path, token, body }: Order, startedAt: number): Promise<Answer> {
  const sentAt = performance.now();
  const at = sentAt - startedAt;
  try {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const reply = await pool.request({ method, path, headers, ...(body && { body }) });
    await reply.body.dump();
    return { at, ms: performance.now() - sentAt, status: reply.statusCode };
  } catch {
    return { at, ms: performance.now() - sentAt, status: 0 };
  }
}
