import { RawConnections } from './raw-connections';

/** A request, as it goes over the wire. */
export interface Order {
  /** Under which name its answers are told. */
  kind: string;
  wire: string;
}

/** What became of one request. */
export interface Answer {
  kind: string;
  /** When it was sent and how long it took, in milliseconds. */
  at: number;
  ms: number;
  /** 0: no reply. */
  status: number;
}

/** What became of all. */
export interface Load {
  answers: Answer[];
  seconds: number;
  /** Requests that were due while too many were under way, and were not sent. */
  unsent: number;
  /** Part of one core that sending them took. */
  ownCpu: number;
}

/** In flight at most; beyond it callers would be turned away by the operating system. */
const IN_FLIGHT = 4000;
const EVERY_MS = 5;

/** Sends requests at a rate, whatever becomes of them: callers in the world do not wait for each other. */
export async function openLoad(port: number, perSecond: number, seconds: number, next: () => Order): Promise<Load> {
  const connections = new RawConnections(port);
  const answers: Answer[] = [];
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let [due, unsent, inFlight] = [0, 0, 0];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - startedAt;
      for (const until = Math.min(elapsed / 1000, seconds) * perSecond; due < until; due++) {
        if (inFlight >= IN_FLIGHT) {
          unsent++;
          continue;
        }
        inFlight++;
        const at = performance.now() - startedAt;
        const { kind, wire } = next();
        void connections.send(wire).then((status) => {
          inFlight--;
          answers.push({ kind, at, ms: performance.now() - startedAt - at, status });
        });
      }
      if (elapsed < seconds * 1000 || inFlight > 0) return;
      clearInterval(timer);
      resolve();
    }, EVERY_MS);
  });
  connections.close();
  const { user, system } = process.cpuUsage(cpu);
  return { answers, seconds, unsent, ownCpu: (user + system) / 1000 / (performance.now() - startedAt) };
}

/** Keeps so many requests under way. @returns how many a second were answered */
export async function closedLoad(port: number, clients: number, seconds: number, next: () => Order): Promise<number> {
  const connections = new RawConnections(port);
  const startedAt = performance.now();
  let answered = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - startedAt < seconds * 1000) {
        const status = await connections.send(next().wire);
        if (status > 0 && status < 500) answered++;
      }
    }),
  );
  connections.close();
  return answered / seconds;
}
