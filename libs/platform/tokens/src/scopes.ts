/** The scopes of service tokens with their descriptions. */
export const SCOPES = {
  'ai:read': 'Read AI credit, usage and credit requests',
  'ai:use': 'Send messages to the AI model',
  'ai:topup': 'Ask the operator for more AI credit',
  'billing:read': 'Reserved; allows nothing yet',
  'invoices:read': 'Read invoices',
  'support:read': 'Read support tickets',
  'support:write': 'Create support tickets, reply in them, close them',
  'status:read': 'Read service status',
  'sms:send': 'Send SMS',
  'sms:read': 'Read the SMS log',
  'events:read': 'Read events; what they are about needs the scope of that, too',
  'webhooks:manage': 'Manage webhook endpoints and their deliveries',
} as const;

export type Scope = keyof typeof SCOPES;

/** Whether a text is a scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text);
}
