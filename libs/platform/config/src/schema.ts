import { z } from 'zod';
import { ai } from './sections/ai';
import { billing } from './sections/billing';
import { database } from './sections/database';
import { limits } from './sections/limits';
import { operator } from './sections/operator';
import { runtime } from './sections/runtime';
import { sms } from './sections/sms';
import { tracing } from './sections/tracing';
import { upstream } from './sections/upstream';
import { webhooks } from './sections/webhooks';

/** The settings by section. */
export const configSections = { runtime, database, limits, ai, sms, billing, upstream, webhooks, tracing, operator };

/** A section of the settings. */
export type ConfigSection = keyof typeof configSections;

/** Every setting of every process, from environment variables. `.env.example` documents the same list. */
export const configSchema = z
  .object({
    ...runtime,
    ...database,
    ...limits,
    ...ai,
    ...sms,
    ...billing,
    ...upstream,
    ...webhooks,
    ...tracing,
    ...operator,
  })
  .superRefine((config, context) => {
    for (const name of ['SECRETS_KEY', 'FORMER_SECRETS_KEY'] as const) {
      const key = config[name];
      if (key === undefined || isStrongKey(key)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'must be 32 random bytes in base64; make one with: openssl rand -base64 32',
      });
    }
    if ((config.OPERATOR_OIDC_ISSUER === undefined) !== (config.OPERATOR_OIDC_CLIENT_ID === undefined)) {
      context.addIssue({
        code: 'custom',
        path: [config.OPERATOR_OIDC_ISSUER === undefined ? 'OPERATOR_OIDC_ISSUER' : 'OPERATOR_OIDC_CLIENT_ID'],
        message: 'OPERATOR_OIDC_ISSUER and OPERATOR_OIDC_CLIENT_ID are set together',
      });
    }
    if (config.NODE_ENV !== 'production') return;
    const refuse = (name: keyof typeof config, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message: `${message} when NODE_ENV=production` });
    if (!config.DATABASE_URL) refuse('DATABASE_URL', 'is required');
    if (!config.SECRETS_KEY) refuse('SECRETS_KEY', 'is required (32 random bytes in base64)');
    if (isOpen(config.OPERATOR_URL)) refuse('OPERATOR_URL', 'must be https');
    if (config.SANDBOX_URL) refuse('SANDBOX_URL', 'the sandbox upstreams are refused');
    if (config.WEBHOOK_ALLOW_PRIVATE) refuse('WEBHOOK_ALLOW_PRIVATE', 'is refused');
    if (config.DEMO_CUSTOMER) refuse('DEMO_CUSTOMER', 'the demo customer is refused');
  });

type Settings = z.output<typeof configSchema>;

/* eslint-disable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-extraneous-class,
   @typescript-eslint/no-empty-object-type -- a class and an interface of one name: the class is the injection token, the
   interface has the settings, which loadConfig() assigns */
/** The validated settings of this process; inject it by its class. */
export class AppConfig {}
export interface AppConfig extends Settings {}

/** Whether an address is http, and not this machine's own, which browsers trust without TLS. */
function isOpen(address = ''): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && url.hostname !== 'localhost';
}

/** Whether 32 bytes look random: words and zeros repeat far more. */
function isStrongKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text && new Set(bytes).size >= 20;
}
