import { type Document, operationsOf } from './document';

/** Descriptions of the tags, in the order in which they are shown. */
const TAGS: Record<string, string> = {
  Customer: 'Who you are to the operator.',
  Services: 'What you have.',
  AI: 'Credit, usage and messages to the AI model.',
  'AI for SDKs': "The same for the AI provider's SDKs: their addresses, fields and errors.",
  Invoices: 'What you were invoiced.',
  Support: 'Tickets with the operator.',
  SMS: 'Sending messages, and the log of sent messages.',
  Status: 'How your services are.',
};

/** Adds the description of the service as a whole. */
export function describeService(document: Document): void {
  document.info.license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };
  document.info.contact = { name: 'The operator of this service' };
  for (const server of document.servers) server['x-internal'] = false;
  const used = new Set(operationsOf(document).flatMap(({ tags = [] }) => tags));
  document.tags = Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}
