import { globSync, readFileSync } from 'node:fs';
import { nouns } from '../../apps/operator/src/commands/nouns';

/**
 * Every command, the route that does the same, and the label of the console's button, column or page for it. Whoever adds a
 * command adds it here.
 */
const COMMANDS: Record<string, [route: string, label: string]> = {
  'customer create': ['POST /customers', 'Add a customer'],
  'customer import': ['POST /customers/import', 'Import'],
  'customer list': ['GET /customers', 'Customers'],
  'customer show': ['GET /customers/{id}', 'Overview'],
  'customer change': ['PATCH /customers/{id}', 'Change'],
  'customer activate': ['POST /customers/{id}/activate', 'Activate'],
  'customer deactivate': ['POST /customers/{id}/deactivate', 'Deactivate'],
  'customer limits': ['PATCH /customers/{id}/limits', 'Limits'],
  'customer storage': ['GET /installation/storage', 'Customers that stored most'],
  'customer export': ['POST /customers/{id}/export', 'Export all data'],
  'customer erase': ['POST /customers/{id}/erase', 'Erase'],
  'token issue': ['POST /tokens', 'Issue a token'],
  'token rotate': ['POST /tokens/{id}/rotate', 'Rotate'],
  'token rename': ['POST /tokens/{id}/rename', 'Rename'],
  'token deactivate': ['POST /tokens/{id}/deactivate', 'Deactivate'],
  'token list': ['GET /tokens', 'Tokens'],
  'token find': ['POST /tokens/find', 'Find a token'],
  'service add': ['POST /services', 'Add a service'],
  'service update': ['PATCH /services/{id}', 'Change'],
  'service list': ['GET /services', 'Services'],
  'status post': ['POST /status-events', 'Post'],
  'status end': ['POST /status-events/{id}/end', 'End'],
  'status list': ['GET /status-events', 'Status'],
  'audit list': ['GET /audit', 'Audit'],
  'account invite': ['POST /accounts', 'Invite'],
  'account list': ['GET /accounts', 'Accounts'],
  'account set-role': ['POST /accounts/{id}/set-role', 'Change role'],
  'account activate': ['POST /accounts/{id}/activate', 'Activate'],
  'account deactivate': ['POST /accounts/{id}/deactivate', 'Deactivate'],
  'account revoke-sessions': ['POST /accounts/{id}/sessions/revoke', 'Log out'],
  'ai configure': ['PATCH /customers/{id}/ai', 'Settings'],
  'ai show': ['GET /customers/{id}/ai', 'AI'],
  'ai price': ['POST /prices', 'Add a price'],
  'ai withdraw-price': ['POST /prices/withdraw', 'Withdraw'],
  'ai prices': ['GET /prices', 'Prices'],
  'ai credit': ['POST /customers/{id}/ai/credit', 'Add credit'],
  'ai ledger': ['GET /ai/ledger', 'Ledger'],
  'ai usage': ['GET /ai/usage', 'Receipts'],
  'ai accounting': ['GET /ai/accounting', 'AI accounting'],
  'ai unknown': ['GET /ai/unknown', 'AI calls with unknown outcome'],
  'ai verify': ['GET /ai/verification', 'Accounts that do not add up'],
  'credit-request list': ['GET /credit-requests', 'Credit requests'],
  'credit-request approve': ['POST /credit-requests/{id}/approve', 'Approve'],
  'credit-request reject': ['POST /credit-requests/{id}/reject', 'Reject'],
  'invoice add': ['POST /invoices', 'Add an invoice'],
  'invoice set-status': ['POST /invoices/{id}/set-status', 'Set status'],
  'invoice list': ['GET /invoices', 'Invoices'],
  'invoice show': ['GET /invoices/{id}', 'Invoice'],
  'invoice link': ['POST /billing-accounts', 'Link a billing account'],
  'invoice unlink': ['POST /billing-accounts/unlink', 'Unlink'],
  'invoice sync': ['POST /invoice-syncs', 'Sync'],
  'invoice sync-status': ['GET /invoice-syncs', 'Invoice syncs'],
  'ticket list': ['GET /tickets', 'Tickets'],
  'ticket show': ['GET /tickets/{id}', 'Ticket'],
  'ticket reply': ['POST /tickets/{id}/reply', 'Reply'],
  'ticket note': ['POST /tickets/{id}/note', 'Add a note'],
  'ticket set-status': ['POST /tickets/{id}/set-status', 'Set status'],
  'ticket assign': ['POST /tickets/{id}/assign', 'Assign'],
  'ticket unassign': ['POST /tickets/{id}/assign', 'Unassign'],
  'sms configure': ['PATCH /customers/{id}/sms', 'SMS settings'],
  'sms log': ['GET /sms', 'SMS'],
  // The list has all of an SMS.
  'sms show': ['GET /sms/{id}', 'SMS'],
  'event list': ['GET /events', 'Events'],
  'webhook list': ['GET /webhook-endpoints', 'Webhooks'],
  'webhook show': ['GET /webhook-endpoints/{id}', 'Webhook endpoint'],
  'webhook add': ['POST /webhook-endpoints', 'Add an endpoint'],
  'webhook change': ['PATCH /webhook-endpoints/{id}', 'Change'],
  'webhook remove': ['DELETE /webhook-endpoints/{id}', 'Delete'],
  'webhook rotate-secret': ['POST /webhook-endpoints/{id}/rotate-secret', 'New secret'],
  'webhook test': ['POST /webhook-endpoints/{id}/test', 'Test'],
  'webhook deliveries': ['GET /webhook-deliveries', 'Deliveries'],
  'webhook redeliver': ['POST /webhook-deliveries/{id}/redeliver', 'Send again'],
  'request show': ['GET /requests/outcome', 'Request id'],
  'request list': ['GET /requests', 'Refused requests'],
  'doctor examine': ['GET /installation/checks', 'Installation'],
};

/** They need the machine's files, or print a text for a shell. */
const ONLY_COMMANDS = ['secrets reencrypt', 'completion bash', 'completion fish', 'completion zsh'];

/** Routes of the browser alone: logging in, and one's own sessions and passkeys. */
const ONLY_BROWSER = /^\w+ \/(login|logout|session|sessions|passkeys|today)(\/|$)/;
/** Parts of a command that another route does too: a filter, an option, a page of several records. */
const PARTS = [
  ...[
    'GET /customers/{id}/overview',
    'GET /customers/{id}/sms',
    'GET /tokens/{id}',
    'GET /services/{id}',
    'GET /services/types',
  ],
  ...[
    'GET /credit-requests/{id}',
    'GET /ai/models',
    'GET /ai/usage/summary',
    'GET /accounts/{id}',
    'GET /accounts/{id}/sessions',
  ],
  ...[
    'GET /audit/actions',
    'GET /tickets/assignees',
    'POST /announcements',
    'POST /announcements/{id}/end',
    'POST /webhook-endpoints/{id}/redeliver',
  ],
];

describe('the command line and the console', () => {
  const { paths } = JSON.parse(readFileSync('apps/operator-api/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );

  it('have the same actions', () => {
    const commands = nouns.flatMap(({ name, commands: verbs }) => verbs.map((verb) => `${name} ${verb.name}`));
    expect(Object.keys(COMMANDS).concat(ONLY_COMMANDS).sort()).toEqual(commands.sort());
  });

  it('have a route for each, and no other routes', () => {
    const known = new Set([...Object.values(COMMANDS).map(([route]) => route), ...PARTS]);
    expect([...known].filter((route) => !routes.includes(route))).toEqual([]);
    const others = routes.filter((route) => !known.has(route) && !ONLY_BROWSER.test(route));
    expect(others.filter((route) => !route.includes('/health/'))).toEqual([]);
  });

  it('show each in a page', () => {
    const pages = globSync('apps/operator-console/src/**/*.tsx').map((path) => readFileSync(path, 'utf8'));
    const shown = (label: string) => {
      const text = new RegExp(`["'>]\\s*${label}["'<, (\\n]`);
      return pages.some((page) => text.test(page));
    };
    const missing = Object.entries(COMMANDS).filter(([, [, label]]) => !shown(label));
    expect(missing.map(([command]) => command)).toEqual([]);
  });
});
