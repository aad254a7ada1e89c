/** What a service token may be allowed to do, each with what it opens. */
export const SCOPES = {
  'ai:read': 'Read AI credit, usage and credit requests',
  'ai:use': 'Send messages to the AI model',
  'ai:topup': 'Ask the operator for more AI credit',
  'billing:read': 'Reserved; opens nothing yet',
  'invoices:read': 'Read invoices',
  'support:read': 'Read support tickets',
  'support:write': 'Create support tickets',
  'status:read': 'Read service status',
  'sms:send': 'Send SMS',
  'sms:read': 'Read the SMS log',
} as const;

/** A scope. */
export type Scope = keyof typeof SCOPES;

/** Tells whether a text names a scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text);
}
