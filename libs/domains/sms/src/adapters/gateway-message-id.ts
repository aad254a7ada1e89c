/** A gateway's message id that can be stored: visible ASCII of limited length. Null for anything else. */
export function gatewayMessageId(id: unknown): string | null {
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null;
}
