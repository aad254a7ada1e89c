/**
 * What is done with a field of a request:
 * - `own`: the service reads it itself;
 * - `forwarded`: passed on to the provider byte for byte: what it costs is priced per token;
 * - `ignored`: has no effect;
 * - `unpriced`: refused, because it costs other than per token, or concerns the operator's workspace;
 * - `beta`: refused, because the provider takes it only from those who ask for a beta, and betas can change what a call costs;
 * - `elsewhere`: refused, unless it is empty: another address takes it;
 * - `unknown`: refused, because nobody has judged it.
 */
export type FieldRule = 'own' | 'forwarded' | 'ignored' | 'unpriced' | 'beta' | 'elsewhere' | 'unknown';

/** An object of a request whose members have rules. */
export type JudgedPlace = 'body' | 'tool' | 'thinking' | 'output_config';

/** The rules of an address for the fields of its requests. */
export interface RequestFields {
  ruleOf(place: JudgedPlace, name: string): FieldRule;
}
