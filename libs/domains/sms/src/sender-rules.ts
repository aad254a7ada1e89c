import { E164 } from './phone-number';

/** Kinds of senders as LINK Mobility names them. */
export type SenderKind = 'ALPHANUMERIC' | 'MSISDN' | 'SHORTNUMBER';

/** Gateways that have rules for senders. */
export type SenderGateway = '46elks' | 'link-mobility';

/** Letters, digits and inner blanks, with at least one letter. */
const LINK_TEXT = /^(?=.*[a-z])[a-z0-9]([a-z0-9 ]{0,9}[a-z0-9])?$/i;
/**
 * 3 to 11 letters and digits that begin with a letter (46elks.com/kb/sv/text-sender-id); most network operators accept
 * blanks.
 */
const ELKS_TEXT = /^[a-z][a-z0-9 ]{1,9}[a-z0-9]$/i;
const SHORT_NUMBER = /^\d{3,8}$/;

/** Kind of a sender. */
export function senderKind(text: string): SenderKind {
  if (text.startsWith('+')) return 'MSISDN';
  return /^\d+$/.test(text) ? 'SHORTNUMBER' : 'ALPHANUMERIC';
}

/** Why the gateway does not accept a text as sender; undefined if it does. */
export function senderFault(gateway: SenderGateway, text: string): string | undefined {
  const rule = RULES[gateway];
  return rule.takes(text) ? undefined : `${gateway} takes as sender ${rule.senders}`;
}

const RULES: Record<SenderGateway, { takes(text: string): boolean; senders: string }> = {
  '46elks': {
    takes: (text) => ELKS_TEXT.test(text) || E164.test(text),
    senders: '3 to 11 letters, digits and blanks that begin with a letter, or a number such as +4790000000',
  },
  'link-mobility': {
    takes: (text) => LINK_TEXT.test(text) || E164.test(text) || SHORT_NUMBER.test(text),
    senders:
      'up to 11 letters, digits and blanks with a letter among them, a number such as +4790000000, or a short number of 3 to 8 digits',
  },
};
