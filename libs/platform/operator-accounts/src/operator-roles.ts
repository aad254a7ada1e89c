/** What an account may do. Everybody reads; the others change things of their own kind; an administrator may do all of it. */
export const OPERATOR_ROLES = {
  viewer: 'Read everything but texts of SMS, accounts, exports and the checks of the installation',
  support: 'Answer tickets, announce status, read the SMS log, test and redeliver webhooks',
  billing: 'Decide about credit requests, add credit, keep invoices and prices',
  admin: 'Everything: customers, their services, tokens and limits, provider keys, and accounts of operators',
} as const;

export type OperatorRole = keyof typeof OPERATOR_ROLES;

/** Whether a text is a role. */
export function isOperatorRole(text: unknown): text is OperatorRole {
  return typeof text === 'string' && Object.hasOwn(OPERATOR_ROLES, text);
}
