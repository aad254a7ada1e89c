import { type Access, type AppConfig, orSandbox, SANDBOX_CREDENTIAL } from '@platform/config';

const PUBLIC_ADDRESS = 'https://api.anthropic.com';
const API_VERSION = '2023-06-01';

/** Address of the AI provider, and the key for customers without their own. */
export interface ProviderSettings {
  baseUrl: string;
  sharedKey?: string;
}

/** The configured provider; without one, the sandbox, if it runs. */
export function providerSettings(config: AppConfig): Access<ProviderSettings> {
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY: sharedKey } = config;
  const provider = { baseUrl: ANTHROPIC_BASE_URL ?? PUBLIC_ADDRESS, sharedKey };
  const configured = ANTHROPIC_BASE_URL === undefined && sharedKey === undefined ? undefined : provider;
  const toSandbox = (url: string) => ({ baseUrl: `${url}/anthropic`, sharedKey: SANDBOX_CREDENTIAL });
  return orSandbox(configured, config, toSandbox) ?? { ...provider, inSandbox: false };
}

/** The headers of every request to the provider. */
export function providerHeaders(apiKey: string): Record<string, string> {
  return { 'anthropic-version': API_VERSION, 'x-api-key': apiKey };
}
