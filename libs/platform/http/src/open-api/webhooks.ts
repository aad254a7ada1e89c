import type { Document, Parameter, Schema } from './document';

/** What the service sends to addresses of customers: by type of event. */
export type WebhookDescriptions = Readonly<Record<string, WebhookDescription>>;

/** A type of events. */
export interface WebhookDescription {
  /** When there is one. */
  when: string;
  /** The DTO of the record that it is about; of the whole event, if it is none of those that the log has. */
  dto: new () => object;
  isWhole?: boolean;
}

/** The DTOs of the records, so that the document has their schemas. */
export function recordsOf(webhooks: WebhookDescriptions): (new () => object)[] {
  return [...new Set(Object.values(webhooks).map(({ dto }) => dto))];
}

const header = (name: string, description: string, example: string, maxLength = 512): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', maxLength },
  example,
});

/** After Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'The id of the event: the same in each attempt.', 'b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1795348800'),
  header(
    'webhook-signature',
    'Signatures of id, timestamp and body with your secret, separated by spaces.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    // Of the secret and its ten former ones.
    1024,
  ),
];

/** Adds the section of webhooks. */
export function describeWebhooks(document: Document, webhooks: WebhookDescriptions): void {
  document.webhooks = Object.fromEntries(
    Object.entries(webhooks).map(([type, description]) => [type, { post: operationOf(type, description) }]),
  );
}

function operationOf(type: string, { when, dto, isWhole = false }: WebhookDescription) {
  const whole = { $ref: `#/components/schemas/${dto.name}` };
  return {
    operationId: `on_${type.replaceAll(/\W/g, '_')}`,
    summary: type,
    description: `${when}.`,
    tags: ['Events'],
    // The receiver recognises the service by the signature.
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: isWhole ? whole : { allOf: [{ $ref: '#/components/schemas/EventDto' }, narrowed(type, dto.name)] },
        },
      },
    },
    responses: {
      '2XX': { description: 'You have the event. Anything else, a redirect too, is a failure: it is sent again.' },
    },
  };
}

/** The event with its type, and its data: the record, or only its id. */
function narrowed(type: string, dto: string): Schema {
  const reference: Schema = { type: 'object', description: 'Only the id of the record.', maxProperties: 1 };
  return {
    type: 'object',
    required: ['type', 'data'],
    properties: {
      type: { type: 'string', enum: [type] },
      data: { anyOf: [{ $ref: `#/components/schemas/${dto}` }, reference] },
    },
  };
}
