import { type Document, operationsOf } from './document';

/** What each part of the interface is for, in the order in which it is shown. */
const TAGS: Record<string, string> = {
  Customer: 'Who you are to the operator.',
  Services: 'What you have.',
  AI: 'Credit, usage and messages to the AI model.',
  Invoices: 'What you were invoiced.',
  Support: 'Tickets with the operator.',
  SMS: 'Sending, and what became of what was sent.',
  Status: 'How your services are.',
};

/** Completes what the document says of the service as a whole. */
export function describeService(document: Document): void {
  document.info.license = { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' };
  document.info.contact = { name: 'The operator of this service' };
  for (const server of document.servers) server['x-internal'] = false;
  const used = new Set(operationsOf(document).flatMap(({ tags = [] }) => tags));
  document.tags = Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}
