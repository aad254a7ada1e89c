/** An id as a gateway gives it: letters, digits and marks, and no longer than any gateway's. */
const GATEWAY_ID = /^[\x21-\x7e]{1,128}$/;
/** No message is older, or delivered later, than this; a time beyond it is a mistake, and PostgreSQL takes not every one. */
const [EARLIEST, LATEST] = [Date.UTC(2000), Date.UTC(2100)];

/** Whether a text can be a gateway's id of a message. */
export function isGatewayId(text: string): boolean {
  return GATEWAY_ID.test(text);
}

/** A time that a report gives; nothing if it is none. */
export function reportedTime(text: string): Date | undefined {
  const date = new Date(text);
  return date.getTime() >= EARLIEST && date.getTime() < LATEST ? date : undefined;
}
