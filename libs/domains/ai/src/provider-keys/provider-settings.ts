import { type AppConfig, orSandbox, SANDBOX_CREDENTIAL } from '@platform/config';

const PUBLIC_ADDRESS = 'https://api.anthropic.com';

/** Address of the AI provider, and the key for customers without their own. */
export interface ProviderSettings {
  baseUrl: string;
  sharedKey?: string;
}

/** The configured provider; without one, the sandbox, if it runs. */
export function providerSettings(config: AppConfig): ProviderSettings {
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY: sharedKey } = config;
  const provider = { baseUrl: ANTHROPIC_BASE_URL ?? PUBLIC_ADDRESS, sharedKey };
  const configured = ANTHROPIC_BASE_URL === undefined && sharedKey === undefined ? undefined : provider;
  const inSandbox = (url: string) => ({ baseUrl: `${url}/anthropic`, sharedKey: SANDBOX_CREDENTIAL });
  return orSandbox(configured, config, inSandbox) ?? provider;
}
