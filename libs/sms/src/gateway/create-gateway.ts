import type { AppConfig } from '@app/config';
import { CircuitBreaker } from './circuit-breaker';
import { ElksGateway } from './elks-gateway';
import type { HttpGatewaySettings } from './http-sms-gateway';
import { LinkGateway } from './link-gateway';
import { NoGateway } from './no-gateway';
import type { SmsGateway } from './sms-gateway';

const CIRCUIT = { failures: 5, openMs: 15_000 };
/** Any credentials do for the sandbox. */
const SANDBOX_ACCOUNT = { username: 'sandbox', password: 'sandbox' };
const SANDBOX_GATE = 'customer-api';

/** The gateway that the configuration names: the real one with its credentials, else the sandbox's, else none. */
export function createGateway(config: AppConfig): SmsGateway {
  return config.SMS_GATEWAY === '46elks' ? createElks(config) : createLink(config);
}

function createElks(config: AppConfig): SmsGateway {
  const settings = settingsOf(config, '46elks', config.ELKS_URL, config.ELKS_USERNAME, config.ELKS_PASSWORD);
  if (!settings) return new NoGateway();
  const base = config.SMS_REPORT_URL?.replace(/\/$/, '');
  return new ElksGateway(settings, new CircuitBreaker(CIRCUIT), (reference) =>
    base === undefined ? undefined : `${base}/sms/delivery-reports/46elks/${reference}`,
  );
}

function createLink(config: AppConfig): SmsGateway {
  const settings = settingsOf(config, 'link', config.LINK_URL, config.LINK_USERNAME, config.LINK_PASSWORD);
  if (!settings) return new NoGateway();
  const inSandbox = config.LINK_USERNAME === undefined;
  return new LinkGateway(settings, new CircuitBreaker(CIRCUIT), {
    platformId: config.LINK_PLATFORM_ID,
    platformPartnerId: config.LINK_PLATFORM_PARTNER_ID,
    reportGate: config.LINK_REPORT_GATE ?? (inSandbox && config.SMS_REPORT_URL ? SANDBOX_GATE : undefined),
  });
}

function settingsOf(
  config: AppConfig,
  name: string,
  url: string,
  username: string | undefined,
  password: string | undefined,
): HttpGatewaySettings | undefined {
  const timeoutMs = config.SMS_GATEWAY_TIMEOUT_MS;
  if (username !== undefined && password !== undefined) return { url, username, password, timeoutMs };
  if (config.SANDBOX_URL === undefined) return undefined;
  return { ...SANDBOX_ACCOUNT, url: `${config.SANDBOX_URL.replace(/\/$/, '')}/${name}`, timeoutMs };
}
