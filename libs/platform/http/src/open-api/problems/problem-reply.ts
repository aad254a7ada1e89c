import { type ErrorCode, errorCatalog, problemType } from '@platform/errors';
import type { DeclaredProblems } from './declared-problems';
import type { Document, Operation, Reply } from '../document';
import { scopesOf } from '../describe-scopes';
import { exampleFault } from '../example-fault';

const REQUEST_ID = '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11';
const PROBLEM = { $ref: '#/components/schemas/ProblemDto' };

/** The error replies of an operation by status: one reply for each status, with its codes and an example of each. */
export function problemReplies(
  document: Document,
  operation: Operation,
  problems: DeclaredProblems,
): Record<string, Reply> {
  const codes = (Object.keys(problems) as ErrorCode[]).sort();
  const replies = [...Map.groupBy(codes, (code) => errorCatalog[code].status)].map(([status, group]) => {
    const examples = group.map(
      (code) => [code, { value: exampleOf(document, operation, code, problems[code]) }] as const,
    );
    const reply: Reply = {
      description: `${group.map((code) => `${errorCatalog[code].title} (\`${code}\`)`).join('; ')}.`,
      content: { 'application/problem+json': { schema: PROBLEM, examples: Object.fromEntries(examples) } },
    };
    return [String(status), reply] as const;
  });
  return Object.fromEntries(replies);
}

/** A problem as this operation would send it. */
function exampleOf(document: Document, operation: Operation, code: ErrorCode, detail?: string | null) {
  const { status, title, example } = errorCatalog[code];
  const fault = code === 'invalid_request' ? exampleFault(document, operation) : undefined;
  const [scope] = scopesOf(operation);
  const scopeDetail = code === 'insufficient_scope' && scope ? `The token lacks the scope ${scope}` : undefined;
  return {
    type: problemType(code),
    title,
    status,
    detail: detail ?? fault?.detail ?? scopeDetail ?? example,
    code,
    request_id: REQUEST_ID,
    ...(fault && { errors: [fault] }),
  };
}
