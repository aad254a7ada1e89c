import type { RequestFields } from './field-rule';

const OWN = new Set(['messages', 'system', 'max_tokens', 'stream']);

/** The customer API's own form of a request: unknown fields are ignored, as everywhere in it. */
export const PLAIN_FIELDS: RequestFields = {
  ruleOf: (_place, name) => (OWN.has(name) ? 'own' : name === 'tools' ? 'elsewhere' : 'ignored'),
};
