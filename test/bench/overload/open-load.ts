import { RawConnections } from './raw-connections';

/** A request, as it goes over the wire. */
export interface Order {
  /** Under which name its answers are told. */
  kind: string;
  /** Whose it is. */
  party: string;
  wire: string;
}

/** Result of one request. */
export interface Answer {
  kind: string;
  party: string;
  /** When it was sent and how long it took, in milliseconds. */
  at: number;
  ms: number;
  /** HTTP status; 0: no reply. */
  status: number;
}

/** Results of a load. */
export interface Load {
  answers: Answer[];
  seconds: number;
  /** Requests that were not sent because too many were in progress. */
  unsent: number;
  /** Share of one core that the load generator used. */
  ownCpu: number;
}

/** Maximum number of requests in progress; above it the operating system would refuse connections. */
const IN_FLIGHT = 4000;
const EVERY_MS = 5;

/** Sends requests at a fixed rate, whatever their results: an open load model. */
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
        const { kind, party, wire } = next();
        void connections.send(wire).then((status) => {
          inFlight--;
          answers.push({ kind, party, at, ms: performance.now() - startedAt - at, status });
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

/** Keeps a number of requests in progress. @returns requests per second */
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
