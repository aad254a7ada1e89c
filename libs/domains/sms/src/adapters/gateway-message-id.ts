/** A gateway's id of a message as it can be stored: visible ASCII, not endless. Null for anything else. */
export function gatewayMessageId(id: unknown): string | null {
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? id : null;
}
