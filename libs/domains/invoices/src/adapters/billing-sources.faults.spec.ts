import { type AppConfig, loadConfig } from '@platform/config';
import { UpstreamClientsService } from '@platform/upstream';
import { rawReply, startRawServer } from '@test/raw-server';
import {
  CREDENTIAL,
  describeUpstreamFaults,
  type FaultyAdapter,
} from '@test/suites/upstream-faults/upstream-faults.suite';
import type { BillingSourceName } from '../invoice-values';
import { BillingSourcesService } from './billing-sources.service';
import type { FikenLaneService } from './fiken/fiken-lane.service';
import { LostPositionError, SourceError } from '../ports/billing-source.port';

/** A lane that is always free: no other process uses Fiken. */
const freeLane = {
  use: (_urgency: string, { signal }: { signal: AbortSignal }, work: (held: AbortSignal) => unknown) => work(signal),
} as unknown as FikenLaneService;

const open = (name: BillingSourceName) => (config: AppConfig, clients: UpstreamClientsService) => {
  const source = new BillingSourcesService(config, clients, freeLane).find(name);
  if (!source) throw new Error(`${name} is not configured`);
  const feed = name === 'stripe' ? 'created' : 'invoices';
  return () => source.readPage({ feed, account: 'cus_1' }, new AbortController().signal);
};

const common: Pick<FaultyAdapter, 'deadline' | 'judge' | 'expected' | 'attempts' | 'idempotent'> = {
  deadline: 'BILLING_TIMEOUT_MS',
  judge: (result) => {
    if (result instanceof LostPositionError) return 'lost position';
    return result instanceof SourceError ? 'source error' : result instanceof Error ? result.name : 'page';
  },
  // A sync is retried after any fault; the point is that no fault is taken for a page.
  expected: {
    ok: 'page',
    unsent: 'source error',
    lost: 'source error',
    unreadable: 'source error',
    no_content: 'source error',
    account_refused: 'source error',
    turned_away: 'source error',
    closed_for_now: 'source error',
    refused: 'source error',
    gave_up_for_now: 'source error',
    gave_up: 'source error',
    failed: 'source error',
  },
  attempts: 3,
  idempotent: true,
};

describe('A request to a billing source', () => {
  it.each<[BillingSourceName, Record<string, string>, string, RegExp]>([
    [
      'stripe',
      { STRIPE_SECRET_KEY: CREDENTIAL },
      '{"object":"list","data":[],"has_more":false}',
      /^GET \/v1\/invoices\?customer=cus_1&limit=100 /,
    ],
    [
      'fiken',
      { FIKEN_TOKEN: CREDENTIAL, FIKEN_COMPANY: 'a company/7' },
      '[]',
      /^GET \/v2\/companies\/a%20company%2F7\/invoices\?page=0&pageSize=100&customerId=cus_1 /,
    ],
  ])(
    'of %s is made with the credential of the settings, for the documents of the account',
    async (name, settings, body, line) => {
      const server = await startRawServer();
      server.answer((socket) => socket.write(rawReply(200, body, { 'fiken-api-page-count': '1' })));
      const addresses = { STRIPE_URL: server.url, FIKEN_URL: `${server.url}/v2` };
      const config = loadConfig({ NODE_ENV: 'test', LOG_LEVEL: 'silent', ...addresses, ...settings });
      const clients = new UpstreamClientsService(config);
      try {
        expect(await open(name)(config, clients)()).toEqual({ invoices: [], problems: [] });
        const [head = ''] = server.requests[0]?.split('\r\n\r\n') ?? [];
        expect(head).toMatch(line);
        expect(head).toMatch(new RegExp(`^authorization: Bearer ${CREDENTIAL}$`, 'im'));
      } finally {
        await clients.onApplicationShutdown();
        await server.close();
      }
    },
  );
});

describeUpstreamFaults('Stripe', {
  ...common,
  settings: (address) => ({ STRIPE_URL: address, STRIPE_SECRET_KEY: CREDENTIAL }),
  good: rawReply(200, '{"object":"list","data":[],"has_more":false}'),
  open: open('stripe'),
});

describeUpstreamFaults('Fiken', {
  ...common,
  settings: (address) => ({ FIKEN_URL: address, FIKEN_TOKEN: CREDENTIAL, FIKEN_COMPANY: 'acme' }),
  good: rawReply(200, '[]', { 'fiken-api-page-count': '1' }),
  open: open('fiken'),
});
