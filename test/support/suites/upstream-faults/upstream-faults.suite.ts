import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { type AppConfig, loadConfig } from '@platform/config';
import { NestLogger } from '@platform/logging';
import { UpstreamClientsService } from '@platform/upstream';
import { type RawServer, startRawServer } from '../../raw-server';
import { selfSigned } from '../../self-signed';
import { connectionFaults } from './connection-faults';
import { type FaultMeaning, REPLY_MARK, type UpstreamFault } from './fault';
import { protocolFaults } from './protocol-faults';
import { statusFaults } from './status-faults';

/** An adapter under test. */
export interface FaultyAdapter {
  /** Settings with the upstream's address, and the credential, which is `CREDENTIAL`. */
  settings(address: string): NodeJS.ProcessEnv;
  /** The setting of the call's deadline in milliseconds. */
  deadline: string;
  /** A successful reply as bytes. */
  good: string;
  /** Makes a call of the adapter. Its result or error is checked. */
  open(config: AppConfig, clients: UpstreamClientsService): () => Promise<unknown>;
  /** Maps a result to a word of the adapter's own. */
  judge(result: unknown): string;
  /** The expected word for every kind of fault. */
  expected: Record<FaultMeaning, string>;
  /** Statuses whose text the caller may read, because it is about the request. */
  tells?: RegExp;
  /** Number of requests that may arrive if a retry is harmless, as when the upstream refused for now; otherwise one. */
  attempts?: number;
  /** Whether a retry is always harmless. */
  idempotent?: boolean;
}

/** The upstream's secret: must not appear anywhere. */
export const CREDENTIAL = 'credential-of-ours-9f8e7d6c';

/** The log lines of the fault that is being observed: many are at a time, and Nest's logger is one. */
const lines = new AsyncLocalStorage<string[]>();

const DEADLINE_MS = 800;
/** Time limits for a busy machine, in case a deadline does not work. */
const SLACK_MS = 3_000;
const AT_A_TIME = 12;
/** A slow machine may miss the short deadline of a fault that waits for it, though the upstream is well again. */
const RECOVERY_ATTEMPTS = 3;
/** Time limit of faults that do not wait for the deadline. */
const GENEROUS_MS = 5_000;

interface Observed {
  verdict: string;
  outcome?: string;
  requests: number;
  elapsedMs: number;
  /** The logged outcome and the result. */
  logged: string;
  told: string;
  afterwards: string;
}

/** Tests every fault of an upstream against one adapter. */
export function describeUpstreamFaults(name: string, adapter: FaultyAdapter): void {
  describe(`${name} when`, () => {
    const certificate = selfSigned();
    const faults = [...connectionFaults, ...protocolFaults, ...statusFaults];
    let observed: Map<UpstreamFault, Observed>;
    beforeAll(async () => {
      observed = new Map();
      const see = async (fault: UpstreamFault) => observed.set(fault, await lines.run([], () => observe(fault)));
      // Faults that wait for the deadline run together; of the others a few at a time.
      const waiting = Promise.all(faults.filter(({ hangs }) => hangs).map(see));
      const others = faults.filter(({ hangs }) => !hangs);
      while (others.length > 0) await Promise.all(others.splice(0, AT_A_TIME).map(see));
      await waiting;
    });

    it.each(faults.map((fault) => [fault.name, fault] as const))('%s', (_, fault) => {
      const result = observed.get(fault) as Observed;
      expect([fault.meaning].flat().map((meaning) => adapter.expected[meaning])).toContain(result.verdict);
      expect(result.outcome).toMatch(fault.outcome);
      const refusedForNow = fault.meaning === 'turned_away' || fault.meaning === 'closed_for_now';
      const harmless = adapter.idempotent === true || refusedForNow;
      expect(result.requests).toBeLessThanOrEqual(harmless ? (adapter.attempts ?? 1) : 1);
      expect(result.logged).not.toContain(REPLY_MARK);
      if (!adapter.tells?.test(result.outcome ?? '')) expect(result.told).not.toContain(REPLY_MARK);
      expect(result.logged + result.told).not.toContain(CREDENTIAL);
      if (fault.hangs) expect(result.elapsedMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
      expect(result.afterwards).toBe(adapter.expected.ok);
    });

    async function observe(fault: UpstreamFault): Promise<Observed> {
      const server = await startRawServer(fault.tls && certificate);
      const deadlineMs = fault.hangs ? DEADLINE_MS : GENEROUS_MS;
      const faulty = connect((await fault.address?.(server)) ?? server.url, deadlineMs);
      try {
        arrange(server, fault);
        const began = performance.now();
        const result = await settle(faulty.call);
        const elapsedMs = performance.now() - began;
        const requests = server.requests.length;
        const logged = lines.getStore()!.join('');
        const told = inspect(result, { depth: 8 });
        const [line] = logged.split('\n').filter((text) => text.includes('"upstream call"'));
        const { outcome } = JSON.parse(line ?? '{}') as { outcome?: string };
        const afterwards = await recovered(server, fault, faulty.call);
        return { verdict: adapter.judge(result), outcome, requests, elapsedMs, logged, told, afterwards };
      } finally {
        await faulty.clients.onApplicationShutdown();
        await server.close();
      }
    }

    function connect(address: string, deadlineMs: number) {
      const config = loadConfig({
        NODE_ENV: 'test',
        LOG_LEVEL: 'trace',
        UPSTREAM_CONNECT_TIMEOUT_MS: String(deadlineMs / 2),
        [adapter.deadline]: String(deadlineMs),
        ...adapter.settings(address),
      });
      Logger.overrideLogger(new NestLogger(config, { write: (line) => void lines.getStore()?.push(line) }));
      const clients = new UpstreamClientsService(config);
      return { clients, call: adapter.open(config, clients) };
    }

    function arrange(server: RawServer, { greet, answer }: UpstreamFault): void {
      if (greet) server.connect(greet);
      server.answer((socket) => (answer ? answer(socket, adapter.good) : socket.write(adapter.good)));
    }

    async function recovered(server: RawServer, fault: UpstreamFault, call: () => Promise<unknown>): Promise<string> {
      let verdict = '';
      for (let attempt = 0; attempt < RECOVERY_ATTEMPTS && verdict !== adapter.expected.ok; attempt++)
        verdict = adapter.judge(await recover(server, fault, call));
      return verdict;
    }

    /** Repairs the upstream. If it was down, a working one runs at another address. */
    async function recover(server: RawServer, fault: UpstreamFault, call: () => Promise<unknown>): Promise<unknown> {
      server.connect(() => undefined);
      server.answer((socket) => socket.write(adapter.good));
      if (!fault.address && !fault.tls) return settle(call);
      const well = await startRawServer();
      well.answer((socket) => socket.write(adapter.good));
      const { clients, call: again } = connect(well.url, GENEROUS_MS);
      const result = await settle(again);
      await clients.onApplicationShutdown();
      await well.close();
      return result;
    }
  });
}

function settle(call: () => Promise<unknown>): Promise<unknown> {
  return call().catch((error: unknown) => error);
}
