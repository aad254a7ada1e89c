import { type Document, type Operation, resolve } from './document';

/** A validation error that a request of the operation can get; undefined if it takes no input. */
export function exampleFault(
  document: Document,
  operation: Operation,
): { pointer: string; detail: string } | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const [required] = schema ? (resolve(document, schema).required ?? []) : [];
  if (required !== undefined) return { pointer: `/${required}`, detail: `${required} is required` };
  const limited = operation.parameters?.some(({ name }) => name === 'limit');
  return limited ? { pointer: '/limit', detail: 'limit must be a whole number from 1 to 200' } : undefined;
}
