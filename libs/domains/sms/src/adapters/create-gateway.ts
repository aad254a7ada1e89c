import { type Access, type AppConfig, orSandbox, SANDBOX_CREDENTIAL } from '@platform/config';
import type { UpstreamClient, UpstreamClientsService } from '@platform/upstream';
import { type SendOutcome, SmsGateway } from '../ports/sms-gateway.port';
import { ElksAdapter } from './elks.adapter';
import type { GatewayAccount } from './http-sms.adapter';
import { LinkMobilityAdapter } from './link-mobility.adapter';

const SANDBOX_ACCOUNT = { username: SANDBOX_CREDENTIAL, password: SANDBOX_CREDENTIAL };
/** The sandbox's gate of LINK Mobility's delivery reports. */
export const SANDBOX_GATE = 'customer-api';
/** Longest reply that is read; gateways send none that long. */
const LONGEST_REPLY_BYTES = 256 * 1024;

/** Account and address of a gateway. */
type GatewayAccess = Access<GatewayAccount & { url: string }>;

/** The configured gateway with its credentials; else the sandbox's; else none. */
export function createGateway(config: AppConfig, clients: UpstreamClientsService): SmsGateway {
  const access = gatewayAccess(config);
  if (!access) return new NoGatewayAdapter();
  return config.SMS_GATEWAY === '46elks' ? createElks(config, clients, access) : createLink(config, clients, access);
}

/** How the configured gateway is reached; undefined if no SMS can be sent. */
export function gatewayAccess(config: AppConfig): GatewayAccess | undefined {
  return config.SMS_GATEWAY === '46elks'
    ? accessOf(config, '46elks', config.ELKS_URL, config.ELKS_USERNAME, config.ELKS_PASSWORD)
    : accessOf(config, 'link', config.LINK_URL, config.LINK_USERNAME, config.LINK_PASSWORD);
}

function createElks(config: AppConfig, clients: UpstreamClientsService, access: GatewayAccess): SmsGateway {
  return new ElksAdapter(openClient(config, clients, '46elks', access), access, config.SMS_REPORT_URL);
}

function createLink(config: AppConfig, clients: UpstreamClientsService, access: GatewayAccess): SmsGateway {
  return new LinkMobilityAdapter(openClient(config, clients, 'link-mobility', access), {
    ...access,
    platformId: config.LINK_PLATFORM_ID,
    platformPartnerId: config.LINK_PLATFORM_PARTNER_ID,
    reportGate: config.LINK_REPORT_GATE ?? (access.inSandbox && config.SMS_REPORT_URL ? SANDBOX_GATE : undefined),
  });
}

function openClient(
  config: AppConfig,
  clients: UpstreamClientsService,
  name: string,
  { url }: GatewayAccess,
): UpstreamClient {
  const timeoutMs = config.SMS_GATEWAY_TIMEOUT_MS;
  return clients.open({
    name,
    baseUrl: url,
    concurrency: 32,
    queue: 512,
    timeoutMs,
    slowAfterMs: timeoutMs / 2,
    maxReplyBytes: LONGEST_REPLY_BYTES,
    retries: 2,
    retryPauseMs: 200,
    // A message that was sent must not end with an unknown outcome because of a shutdown.
    finishesAtShutdown: true,
  });
}

function accessOf(
  config: AppConfig,
  name: string,
  url: string,
  username: string | undefined,
  password: string | undefined,
): GatewayAccess | undefined {
  const configured = username !== undefined && password !== undefined ? { url, username, password } : undefined;
  return orSandbox(configured, config, (sandbox) => ({ ...SANDBOX_ACCOUNT, url: `${sandbox}/${name}` }));
}

/** Used if the operator has configured no gateway. */
class NoGatewayAdapter extends SmsGateway {
  readonly name = 'none';

  unsupported(): undefined {
    return undefined;
  }

  send(): Promise<SendOutcome> {
    return Promise.resolve({ kind: 'unreachable', errorCode: 'gateway_not_configured' });
  }
}
