import { allErrors, ERROR_PAGE } from '@platform/errors';
import { type InterfaceParts, operationsOf } from '@platform/http';
import { FRESH_MINUTES, OPERATOR_ROLES } from '@platform/operator-accounts';
import { SESSION_COOKIE } from './access/browser';
import { SESSION_SCHEME } from './access/operator-access';

/** Prefix of the operator API's addresses. */
export const OPERATOR_PREFIX = 'operator/v1';

const ROLE_TABLE = [
  '| role | may |',
  '| --- | --- |',
  ...Object.entries(OPERATOR_ROLES).map(([name, may]) => `| \`${name}\` | ${may} |`),
].join('\n');

/** The operator's interface. */
export const OPERATOR_INTERFACE: InterfaceParts = {
  title: 'Operator API',
  version: '1.0.0',
  description:
    'Everything that the operator does for customers: the interface of the operator console. It has the rules of the command line, ' +
    'and records every change with the name of the person. People log in; a session is a cookie. ' +
    `Every error is a problem document (RFC 9457); [${ERROR_PAGE}](${ERROR_PAGE}) lists every code with its remedy.\n\n` +
    `An account has a role. Each operation names the roles that may use it:\n\n${ROLE_TABLE}`,
  prefix: OPERATOR_PREFIX,
  address: ({ OPERATOR_URL }) => OPERATOR_URL,
  tags: {
    Login: 'Links, passkeys, identity provider, sessions.',
    Today: 'What waits for somebody, and how the service is used.',
    Customers: 'Customers, their limits and their data.',
    Tokens: 'Service tokens of customers.',
    Services: 'Services of customers.',
    AI: 'AI settings, prices, credit and calls of customers.',
    'Credit requests': "Customers' requests for extra AI credit.",
    Invoices: 'Invoices, and the billing sources that they come from.',
    Tickets: 'Support tickets.',
    SMS: 'SMS of customers.',
    Status: 'Status of services.',
    Events: 'What was told to customers.',
    Webhooks: 'Endpoints that events are sent to, and their deliveries.',
    Requests: 'Requests of customers: why they were refused, what they cost.',
    Audit: 'The audit log.',
    Accounts: "Accounts of the operator's people.",
    Installation: 'Checks of this installation.',
  },
  errors: allErrors,
  secure: (builder) =>
    builder.addCookieAuth(
      SESSION_COOKIE,
      { type: 'apiKey', in: 'cookie', description: 'The session, from a login.' },
      SESSION_SCHEME,
    ),
  // To every operation's description: tools do not show extensions.
  describeAccess(document) {
    for (const operation of operationsOf(document)) {
      const { 'x-role': roles = [], 'x-fresh-login': isFresh } = operation as {
        'x-role'?: string[];
        'x-fresh-login'?: boolean;
      };
      const all = Object.keys(OPERATOR_ROLES).length;
      const named = roles.map((role) => `\`${role}\``).join(' or ');
      const who =
        roles.length === 0
          ? 'Needs no session.'
          : roles.length === all
            ? 'Any role is enough.'
            : `Needs the role ${named}.`;
      const needs = isFresh ? `${who} Needs a login of the last ${FRESH_MINUTES} minutes.` : who;
      operation.description = [operation.description, needs].filter(Boolean).join('\n\n');
    }
  },
};
