import type { AppConfig } from '@platform/config';

/** Address of the AI provider, and the key for customers without their own. */
export interface UpstreamSettings {
  baseUrl: string;
  sharedKey?: string;
}

const PUBLIC_ADDRESS = 'https://api.anthropic.com';
/** The sandbox accepts any key. */
const SANDBOX_KEY = 'sandbox';

/** The configured provider; without one, the sandbox, if it runs. */
export function upstreamSettings(config: AppConfig): UpstreamSettings {
  const { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: sharedKey, SANDBOX_URL: sandbox } = config;
  if (baseUrl === undefined && sharedKey === undefined && sandbox !== undefined) {
    return { baseUrl: `${sandbox.replace(/\/$/, '')}/anthropic`, sharedKey: SANDBOX_KEY };
  }
  return { baseUrl: baseUrl ?? PUBLIC_ADDRESS, sharedKey };
}
