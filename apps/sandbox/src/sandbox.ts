import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { fiken, FikenControl } from './billing-fiken/fiken.plugin';
import { stripeApi, StripeControl } from './billing-stripe/stripe-api.plugin';
import { stripeLinks } from './billing-stripe/stripe-links.plugin';
import { messagesApi, messagesControls } from './messages-api/messages-api.plugin';
import { ReportCourier } from './shared/sms/report-courier';
import type { UpstreamControl } from './shared/faults/upstream-control';
import { elks, ElksControl } from './sms-46elks/elks.plugin';
import { link, LinkControl } from './sms-link-mobility/link.plugin';
import { webhookReceiver, WebhookReceiverControl } from './webhook-receiver/webhook-receiver.plugin';

const STRIPE_PATH = '/stripe';
const FIKEN_PATH = '/fiken/api/v2';
const WEBHOOKS_PATH = '/webhooks';

interface SandboxOptions {
  /** Port to listen on; 0, the default, lets the system choose. */
  port?: number;
  /** Address to listen on; 127.0.0.1 by default. */
  host?: string;
  /** Number of requests, messages and delivery reports that each upstream records; 10,000 by default. */
  recordLimit?: number;
  /** Milliseconds from an SMS reply to its delivery reports, unless a directive says otherwise; 0 by default. */
  reportDelayMs?: number;
  /** Delivery report gates of LINK Mobility, gate id to URL; a test can add more. */
  linkGates?: Record<string, string>;
}

/** Base address of each upstream, for the client's settings. */
export interface SandboxUrls {
  messages: string;
  elks46: string;
  link: string;
  /** The official SDK takes host and port only, no path; `/v1` is therefore served at the root as well. */
  stripe: string;
  fiken: string;
  /** A receiver of webhooks, with a page. */
  webhooks: string;
}

/** The running sandbox with the controls of its upstreams. */
export interface Sandbox {
  url: string;
  urls: SandboxUrls;
  /** `POST /v1/messages`. */
  messages: UpstreamControl;
  /** `POST /v1/messages/count_tokens`. */
  countTokens: UpstreamControl;
  elks46: ElksControl;
  link: LinkControl;
  stripe: StripeControl;
  fiken: FikenControl;
  webhooks: WebhookReceiverControl;
  /** Closes all connections and refuses new ones, like a host that is down. */
  refuseConnections(): Promise<void>;
  /** Listens again, on the same port. */
  acceptConnections(): Promise<void>;
  /** Resets every upstream to its initial state. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts all upstreams on one port. @throws if `NODE_ENV=production` */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  refuseInProduction();
  const { port = 0, host = '127.0.0.1', recordLimit = 10_000, reportDelayMs = 0, linkGates = {} } = options;
  const app = fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 500 } });
  takeRawBodies(app);

  const courier = new ReportCourier(recordLimit);
  const controls = {
    ...messagesControls(recordLimit),
    elks46: new ElksControl(recordLimit, courier, reportDelayMs),
    link: new LinkControl(recordLimit, courier, reportDelayMs, linkGates),
    stripe: new StripeControl(recordLimit),
    fiken: new FikenControl(recordLimit),
    webhooks: new WebhookReceiverControl(),
  };
  mount(app, '/anthropic', (upstream) => messagesApi(upstream, controls));
  mount(app, '/46elks', (upstream) => elks(upstream, controls.elks46));
  mount(app, '/link', (upstream) => link(upstream, controls.link));
  mount(app, STRIPE_PATH, (upstream) => {
    stripeApi(upstream, controls.stripe, STRIPE_PATH);
    stripeLinks(upstream, controls.stripe);
  });
  // The official SDK takes a host and a port, but no path.
  mount(app, '', (upstream) => stripeApi(upstream, controls.stripe, STRIPE_PATH));
  mount(app, FIKEN_PATH, (upstream) => fiken(upstream, controls.fiken, FIKEN_PATH));
  mount(app, WEBHOOKS_PATH, (receiver) => webhookReceiver(receiver, controls.webhooks));

  await app.listen({ port, host });
  const address = app.server.address() as AddressInfo;
  const url = `http://${host}:${address.port}`;
  const acceptConnections = async () => {
    if (app.server.listening) return;
    app.server.listen(address.port, host);
    await once(app.server, 'listening');
  };
  return {
    url,
    urls: {
      messages: `${url}/anthropic`,
      elks46: `${url}/46elks`,
      link: `${url}/link`,
      stripe: `${url}${STRIPE_PATH}`,
      fiken: `${url}${FIKEN_PATH}`,
      webhooks: `${url}${WEBHOOKS_PATH}`,
    },
    ...controls,
    refuseConnections: async () => {
      const closed = once(app.server, 'close');
      app.server.close();
      app.server.closeAllConnections();
      await closed;
    },
    acceptConnections,
    reset: () => Object.values(controls).forEach((control) => control.reset()),
    close: async () => {
      await acceptConnections(); // Fastify cannot close a server that does not listen.
      await courier.close();
      await app.close();
    },
  };
}

function mount(app: FastifyInstance, prefix: string, upstream: (scope: FastifyInstance) => void): void {
  void app.register(
    (scope, _options, done) => {
      upstream(scope);
      done();
    },
    { prefix },
  );
}

/** Accepts bodies of every content type as bytes: the upstream's own code parses it. */
function takeRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * The only place of this app that reads the environment. The sandbox accepts any credential, so it must not run in
 * production. It does not use the project's configuration because the check must work even if that configuration is
 * broken or absent.
 */
export function refuseInProduction(): void {
  // eslint-disable-next-line no-restricted-properties -- see above
  if (process.env.NODE_ENV === 'production') {
    throw new Error('The sandbox upstreams refuse to start when NODE_ENV=production.');
  }
}
