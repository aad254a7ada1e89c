import { type ErrorCode, errorCatalog } from '@app/errors';
import type { Reply } from './document';

const REQUEST_ID = '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11';
const PROBLEM = { $ref: '#/components/schemas/ProblemDto' };

/** The codes by the status that they come with. */
export function statusesOf(codes: ErrorCode[]): { status: number; codes: ErrorCode[] }[] {
  return [...Map.groupBy(codes, (code) => errorCatalog[code].status)].map(([status, group]) => ({
    status,
    codes: group,
  }));
}

/** The documentation of an error reply that can carry these codes, with an example of each. */
export function problemReply(codes: ErrorCode[]): Required<Pick<Reply, 'description' | 'content'>> {
  return {
    description: `${codes.map((code) => `${errorCatalog[code].title} (\`${code}\`)`).join('; ')}.`,
    content: {
      'application/problem+json': {
        schema: PROBLEM,
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode) {
  const { status, title } = errorCatalog[code];
  return { type: `urn:customer-api:problem:${code}`, title, status, detail: title, code, request_id: REQUEST_ID };
}
