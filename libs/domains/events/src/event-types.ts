import type { Scope } from '@platform/tokens';

/** A type of events. */
interface TypeOfEvents {
  /** When there is one. */
  when: string;
  /** The scope of the record's own GET; null if all of it may be known to whoever may read events. */
  scope: Scope | null;
}

/** The types of customers' events. */
export const CUSTOMER_EVENTS = {
  'credit_request.approved': { when: 'The operator approved a credit request', scope: 'ai:read' },
  'credit_request.rejected': { when: 'The operator rejected a credit request', scope: 'ai:read' },
  'ai.credit.low': { when: "The used share of the month's AI credit passed a threshold", scope: 'ai:read' },
  'ai.credit.exhausted': {
    when: 'An AI message was refused because the rest of the credit, or of the limit of the month, does not cover it',
    scope: 'ai:read',
  },
  'ai.credit.renewed': { when: 'A month of AI credit began', scope: 'ai:read' },
  'invoice.created': { when: 'There is a new invoice or credit note', scope: 'invoices:read' },
  'invoice.updated': { when: 'An invoice or credit note changed', scope: 'invoices:read' },
  'ticket.replied': { when: 'The operator replied to a ticket', scope: 'support:read' },
  'ticket.status_changed': { when: 'The operator changed the status of a ticket', scope: 'support:read' },
  'sms.delivered': { when: 'A handset received an SMS', scope: 'sms:read' },
  'sms.failed': { when: 'An SMS was not sent, or not delivered', scope: 'sms:read' },
  'sms.unknown': { when: 'Nobody knows whether an SMS was sent', scope: 'sms:read' },
  'service.status_changed': { when: 'A status event of a service began or ended', scope: 'status:read' },
  'token.expiring': { when: 'A token expires in 14 days, or in one day', scope: null },
  'webhook.endpoint_disabled': { when: 'A webhook endpoint was disabled', scope: 'webhooks:manage' },
} as const satisfies Record<string, TypeOfEvents>;

/** The types that only the operator's endpoints get. */
export const OPERATOR_EVENTS = {
  'credit_request.created': { when: 'A customer asks for AI credit', scope: null },
  'ticket.created': { when: 'A customer opened a ticket', scope: null },
  'invoice.sync_failed': { when: 'A sync of invoices failed, and the one before it had not', scope: null },
  'ai.upstream_down': { when: 'The AI provider does not answer', scope: null },
} as const satisfies Record<string, TypeOfEvents>;

export type CustomerEventType = keyof typeof CUSTOMER_EVENTS;
export type OperatorEventType = keyof typeof OPERATOR_EVENTS;
export type EventType = CustomerEventType | OperatorEventType;

export const CUSTOMER_EVENT_TYPES = Object.keys(CUSTOMER_EVENTS) as CustomerEventType[];

/** All types, for the operator's endpoints. */
export const EVENT_TYPES = [...CUSTOMER_EVENT_TYPES, ...(Object.keys(OPERATOR_EVENTS) as OperatorEventType[])];

/** The fault of a list of types, appended to the field's name: the first one that does not exist. */
export function unknownTypeFault(types: readonly unknown[]): string | undefined {
  const known: readonly unknown[] = CUSTOMER_EVENT_TYPES;
  const place = types.findIndex((type) => !known.includes(type));
  if (place === -1) return undefined;
  const type = types[place];
  const named = typeof type === 'string' && /^[\w.-]{1,40}$/.test(type) ? type : `number ${place + 1}`;
  return `must be of ${CUSTOMER_EVENT_TYPES.join(', ')}; ${named} is none of them`;
}

/** The scope that the record of an event needs, beyond its id; null for none. */
export function scopeOf(type: EventType): Scope | null {
  const types: Record<EventType, TypeOfEvents> = { ...CUSTOMER_EVENTS, ...OPERATOR_EVENTS };
  return types[type].scope;
}
