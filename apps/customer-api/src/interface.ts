import { API_PREFIX } from '@platform/config';
import { ERROR_PAGE, errorCatalog } from '@platform/errors';
import { API_KEY_SCHEME, type InterfaceParts, operationsOf, scopesOf } from '@platform/http';
import { SCOPES } from '@platform/tokens';
import { SDK_DIALECT } from './ai/sdk-dialect';
import { WEBHOOKS } from './events/webhook-descriptions';

/** The scopes as a Markdown table. */
const SCOPE_TABLE = [
  '| scope | allows |',
  '| --- | --- |',
  ...Object.entries(SCOPES).map(([name, opens]) => `| \`${name}\` | ${opens} |`),
].join('\n');

/** The customers' interface. */
export const CUSTOMER_INTERFACE: InterfaceParts = {
  title: 'Customer API',
  version: '1.0.0',
  description:
    'Read and act on your own account: services, AI credit and AI messages, invoices, support tickets, SMS and status. ' +
    'The bearer token alone identifies the customer. Every error is a problem document (RFC 9457), except below `/ai/v1`, ' +
    `where errors are as the AI provider's SDKs read them; [${ERROR_PAGE}](${ERROR_PAGE}) lists every code with its remedy.\n\n` +
    `A token has scopes. Each operation names the scope that it needs:\n\n${SCOPE_TABLE}`,
  prefix: API_PREFIX,
  address: ({ PUBLIC_URL }) => PUBLIC_URL,
  tags: {
    Customer: 'Your account.',
    Services: 'Your services.',
    AI: 'Credit, usage and messages to the AI model.',
    'AI for SDKs': "AI messages for the AI provider's SDKs, with their addresses, fields and errors.",
    Invoices: 'Your invoices.',
    Support: 'Tickets with the operator.',
    SMS: 'Sending messages, and the log of sent messages.',
    Status: 'The status of your services.',
    Events: 'What happened, as it happens.',
    Webhooks: 'Addresses of yours that events are sent to.',
  },
  errors: errorCatalog,
  dialect: SDK_DIALECT,
  webhooks: WEBHOOKS,
  secure: (builder) =>
    builder
      .addBearerAuth(
        {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'cas_live_…',
          description: `A service token from the operator: \`cas_live_\` and 49 letters and digits. Its rights depend on its scopes:\n\n${SCOPE_TABLE}`,
        },
        'token',
      )
      .addApiKey(
        {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The same token, as SDKs of AI providers send it.',
        },
        API_KEY_SCHEME,
      ),
  // To every operation's description: tools do not show the scopes of a bearer scheme.
  describeAccess(document) {
    for (const operation of operationsOf(document)) {
      // The usual way first: some generators use the first one only.
      operation.security?.sort((one, other) => Number(API_KEY_SCHEME in one) - Number(API_KEY_SCHEME in other));
      const [scope] = scopesOf(operation);
      const needs = scope === undefined ? 'Any valid token is accepted.' : `Needs the scope \`${scope}\`.`;
      operation.description = [operation.description, needs].filter(Boolean).join('\n\n');
    }
  },
};
