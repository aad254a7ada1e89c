import { type ErrorCode, problemType } from '@platform/errors';

/** An error reply. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
  errors?: { pointer: string; detail: string }[];
}

/** Expects a reply to be problem details (RFC 9457) with this status and code; below `/ai/v1`, an error of the provider's form. */
export async function expectProblem(reply: Response, status: number, code: ErrorCode): Promise<ProblemBody> {
  const body = (await reply.json()) as ProblemBody;
  expect({ status: reply.status, code: body.code, detail: body.detail }).toEqual({ status, code, detail: body.detail });
  const isOfSdk = new URL(reply.url).pathname.startsWith('/api/v1/ai/v1');
  expect(reply.headers.get('content-type')).toMatch(isOfSdk ? /^application\/json/ : /^application\/problem\+json/);
  expect(body).toMatchObject({
    ...(isOfSdk
      ? { type: 'error', error: { message: body.detail, documentation_url: problemType(code) } }
      : { type: problemType(code), title: expect.any(String) }),
    status,
    detail: expect.any(String),
    request_id: reply.headers.get('x-request-id'),
  });
  return body;
}
