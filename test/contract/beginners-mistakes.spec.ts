import { generateToken } from '@platform/tokens';
import type { ErrorCode } from '@platform/errors';
import { expectProblem } from '@test/expect-problem';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { saveFakeToken } from '@test/factories/service-token.factory';

const JSON_TYPE = { 'content-type': 'application/json' };
const TICKET = { title: 'A question', body: 'How do I …?' };
const SMS = { to: '+4790000000', message: 'Hello' };
const NO_BODY = 'The request has no body; send a JSON object, with the header Content-Type: application/json';
const NO_TOKEN = 'Send a service token in the header Authorization: Bearer cas_live_…';
const CUT_OFF = 'The token is mistyped or cut off: copy all of it, from cas_live_ to the last character';
const UNKNOWN = 'The token is unknown on this server; copy it again, or ask the operator for a new one';
const EXPIRED = 'The token has expired; ask the operator for a new one';
const NOT_A_TOKEN =
  'This is not a service token: a service token begins with cas_live_, without quotes or brackets around it';
const AS_JSON = 'Send the body as application/json in UTF-8';
const FORM = `${AS_JSON}; it was sent as a form, which is the default of curl -d: add the header Content-Type: application/json`;

/** A beginner's request: an address below the server's root, and options of fetch. */
type Mistake = [path: string, init?: RequestInit];

const json = (body: unknown): RequestInit => ({ method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
const credit = (body: unknown): Mistake => ['/api/v1/ai/credit-requests', json(body)];
const ticket = (changes: object): Mistake => ['/api/v1/support/tickets', json({ ...TICKET, ...changes })];
const sms = (changes: object): Mistake => ['/api/v1/sms/send', json({ ...SMS, ...changes })];
const ai = (body: unknown): Mistake => ['/api/v1/ai/messages', json(body)];
const as = (authorization: string): Mistake => ['/api/v1/customer', { headers: { authorization } }];
const raw = (type: string | undefined, body: string): Mistake => [
  '/api/v1/support/tickets',
  { method: 'POST', body: new TextEncoder().encode(body), headers: type === undefined ? {} : { 'content-type': type } },
];

describe('a beginner who', () => {
  let full: FullApi;
  let token: string;
  let readOnly: string;
  let expired: string;
  beforeAll(async () => {
    full = await startFullApi();
    const me = await createFullCaller(full);
    token = me.token.token;
    const { superuser } = full.api;
    readOnly = (await saveFakeToken(superuser, me.customer.id, { scopes: ['ai:read'] })).token;
    expired = (await saveFakeToken(superuser, me.customer.id, { expiresAt: new Date('2026-01-01') })).token;
  });
  afterAll(() => full.stop());

  const MISTAKES: [name: string, mistake: () => Mistake, status: number, code: ErrorCode, detail: string][] = [
    // The token
    ['sends no token', () => ['/api/v1/customer', { headers: { authorization: '' } }], 401, 'unauthorized', NO_TOKEN],
    ['sends another scheme', () => as(`Basic ${btoa('me:secret')}`), 401, 'unauthorized', NO_TOKEN],
    [
      'forgets the word Bearer',
      () => as(token),
      401,
      'unauthorized',
      'Put the word Bearer and a space before the token',
    ],
    ['forgets the token', () => as('Bearer'), 401, 'unauthorized', 'The Authorization header has no token'],
    ['cuts the token off', () => as(`Bearer ${token.slice(0, -1)}`), 401, 'unauthorized', CUT_OFF],
    ['mistypes the token', () => as(`Bearer ${swapped(token)}`), 401, 'unauthorized', CUT_OFF],
    ['keeps the angle brackets', () => as(`Bearer <${token}>`), 401, 'unauthorized', NOT_A_TOKEN],
    ['writes the word Bearer twice', () => as(`Bearer Bearer ${token}`), 401, 'unauthorized', NOT_A_TOKEN],
    ["uses another service's key", () => as('Bearer sk-ant-0123456789'), 401, 'unauthorized', NOT_A_TOKEN],
    ['has a token of elsewhere', () => as(`Bearer ${generateToken()}`), 401, 'unauthorized', UNKNOWN],
    ['has an expired token', () => as(`Bearer ${expired}`), 401, 'unauthorized', EXPIRED],
    [
      'lacks the scope',
      () => ['/api/v1/status', { headers: { authorization: `Bearer ${readOnly}` } }],
      403,
      'insufficient_scope',
      'The token lacks the scope status:read',
    ],
    // The address
    ['forgets /api/v1', () => ['/customer'], 404, 'not_found', meant('/api/v1/customer')],
    ['forgets the version', () => ['/api/customer'], 404, 'not_found', meant('/api/v1/customer')],
    ['repeats /api/v1', () => ['/api/v1/api/v1/customer'], 404, 'not_found', meant('/api/v1/customer')],
    ['adds a slash', () => ['/api/v1/services/'], 404, 'not_found', meant('/api/v1/services')],
    ['writes capitals', () => ['/api/v1/Support/Tickets'], 404, 'not_found', meant('/api/v1/support/tickets')],
    ['forgets a part', () => ['/api/v1/tickets'], 404, 'not_found', meant('/api/v1/support/tickets')],
    ['writes a plural', () => ['/api/v1/customers'], 404, 'not_found', meant('/api/v1/customer')],
    [
      'writes an underscore',
      () => ['/api/v1/ai/credit_requests'],
      404,
      'not_found',
      meant('/api/v1/ai/credit-requests'),
    ],
    [
      'guesses',
      () => ['/api/v1/accounts/me'],
      404,
      'not_found',
      'There is nothing at this address; /docs lists the operations',
    ],
    ['reads where one sends', () => ['/api/v1/sms/send'], 405, 'method_not_allowed', 'Use POST here'],
    [
      'changes what can be read only',
      () => ['/api/v1/customer', { method: 'PATCH' }],
      405,
      'method_not_allowed',
      'Use GET or HEAD here',
    ],
    [
      'asks for what is not there',
      () => ['/api/v1/ai/credit-requests/999999'],
      404,
      'not_found',
      'There is no such credit request',
    ],
    // The body as a whole
    ['sends no body', () => ['/api/v1/sms/send', { method: 'POST' }], 400, 'invalid_request', NO_BODY],
    [
      'sends an empty body as JSON',
      () => ['/api/v1/sms/send', { method: 'POST', headers: JSON_TYPE }],
      400,
      'invalid_request',
      NO_BODY,
    ],
    [
      'sends a form',
      () => raw('application/x-www-form-urlencoded', 'title=A&body=B'),
      415,
      'unsupported_media_type',
      FORM,
    ],
    [
      'names no type',
      () => raw(undefined, '{}'),
      415,
      'unsupported_media_type',
      `${AS_JSON}; the header Content-Type is missing`,
    ],
    ['sends text', () => raw('text/plain', '{}'), 415, 'unsupported_media_type', AS_JSON],
    [
      'writes JSON with single quotes',
      () => raw('application/json', "{'title':'A'}"),
      400,
      'invalid_request',
      'The body is not valid JSON: see line 1, column 2',
    ],
    ['sends an array', () => credit([{ amount_nok: 1000 }]), 400, 'invalid_request', 'The body must be a JSON object'],
    // Fields
    ['leaves the amount out', () => credit({}), 400, 'invalid_request', 'amount_nok is required'],
    [
      'writes the amount in another case',
      () => credit({ amountNok: 1000 }),
      400,
      'invalid_request',
      'amount_nok is required (you sent amountNok; did you mean amount_nok?)',
    ],
    [
      'misspells the amount',
      () => credit({ amount: 1000 }),
      400,
      'invalid_request',
      'amount_nok is required (you sent amount; did you mean amount_nok?)',
    ],
    [
      'quotes the amount',
      () => credit({ amount_nok: '1000' }),
      400,
      'invalid_request',
      'amount_nok must be a number, not a string',
    ],
    [
      'asks for too little',
      () => credit({ amount_nok: 50 }),
      400,
      'invalid_request',
      'amount_nok must be from 100 to 50000',
    ],
    [
      'asks for next to nothing',
      () => credit({ amount_nok: 1e-7 }),
      400,
      'invalid_request',
      'amount_nok must be from 100 to 50000',
    ],
    [
      'writes three decimals',
      () => credit({ amount_nok: 100.001 }),
      400,
      'invalid_request',
      'amount_nok must have two decimals at most',
    ],
    [
      'leaves a note null',
      () => credit({ amount_nok: 100, note: null }),
      400,
      'invalid_request',
      'note must be a string, not null',
    ],
    ['leaves the title out', () => ticket({ title: undefined }), 400, 'invalid_request', 'title is required'],
    ['writes blanks for a title', () => ticket({ title: '   ' }), 400, 'invalid_request', 'title must not be blank'],
    [
      'writes a long title',
      () => ticket({ title: 'a'.repeat(161) }),
      400,
      'invalid_request',
      'title must have 1 to 160 characters, not 161',
    ],
    [
      'invents a priority',
      () => ticket({ priority: 'asap' }),
      400,
      'invalid_request',
      'priority must be one of low, normal, high, urgent',
    ],
    [
      'quotes a service',
      () => ticket({ service_id: '12' }),
      400,
      'invalid_request',
      'service_id must be a whole number, not a string',
    ],
    [
      'names an unknown service',
      () => ticket({ service_id: 999_999 }),
      404,
      'not_found',
      'You have no service with this service_id',
    ],
    [
      'writes a number with spaces',
      () => sms({ to: '+47 900 00 000' }),
      400,
      'invalid_request',
      'to must have nothing but digits after the +: write +4790000000',
    ],
    [
      'writes a national number',
      () => sms({ to: '90000000' }),
      400,
      'invalid_request',
      'to must begin with + and the country code: write +4790000000 if it is Norwegian',
    ],
    [
      'writes 00 for +',
      () => sms({ to: '004790000000' }),
      400,
      'invalid_request',
      'to must begin with + and not 00: write +4790000000',
    ],
    [
      'sends a number as a number',
      () => sms({ to: 4790000000 }),
      400,
      'invalid_request',
      'to must be a string such as "+4790000000", not a number',
    ],
    [
      'misspells the message',
      () => ['/api/v1/sms/send', json({ to: SMS.to, mesage: 'Hi' })],
      400,
      'invalid_request',
      'message is required (you sent mesage; did you mean message?)',
    ],
    // AI
    [
      'sends a prompt',
      () => ai({ prompt: 'Hello' }),
      400,
      'invalid_request',
      'messages is required, an array such as [{"role":"user","content":"Hello"}] (you sent prompt; did you mean messages?)',
    ],
    [
      'misspells the messages',
      () => ai({ message: [{ role: 'user', content: 'Hi' }] }),
      400,
      'invalid_request',
      'messages is required, an array such as [{"role":"user","content":"Hello"}] (you sent message; did you mean messages?)',
    ],
    [
      'sends one message',
      () => ai({ messages: { role: 'user', content: 'Hi' } }),
      400,
      'invalid_request',
      'messages must be an array of objects with role and content',
    ],
    [
      'sends texts for messages',
      () => ai({ messages: ['Hi'] }),
      400,
      'invalid_request',
      'a message must be an object with role and content',
    ],
    [
      'takes another role',
      () => ai({ messages: [{ role: 'human', content: 'Hi' }] }),
      400,
      'invalid_request',
      'role must be user, assistant or system',
    ],
    [
      'quotes max_tokens',
      () => ai({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: '100' }),
      400,
      'invalid_request',
      'max_tokens must be a number, not a string: send it without quotes',
    ],
    // Lists
    [
      'asks for a limit in words',
      () => ['/api/v1/services?limit=abc'],
      400,
      'invalid_request',
      'limit must be a whole number from 1 to 200',
    ],
    [
      'asks for everything',
      () => ['/api/v1/services?limit=1000'],
      400,
      'invalid_request',
      'limit must be a whole number from 1 to 200',
    ],
    [
      'counts pages',
      () => ['/api/v1/services?cursor=2'],
      400,
      'invalid_request',
      'cursor must be a next_cursor of this list, sent back as it is',
    ],
    [
      'invents a status',
      () => ['/api/v1/ai/credit-requests?status=open'],
      400,
      'invalid_request',
      'status must be one of pending, approved, rejected',
    ],
    [
      'writes a date as at home',
      () => ['/api/v1/invoices?issue_date_from=31.01.2026'],
      400,
      'invalid_request',
      'issue_date_from must be a date as YYYY-MM-DD, such as 2026-01-31',
    ],
    [
      'invents a day',
      () => ['/api/v1/invoices?issue_date_from=2026-02-30'],
      400,
      'invalid_request',
      'issue_date_from must be an existing date',
    ],
    [
      'reverses dates',
      () => ['/api/v1/invoices?issue_date_from=2026-02-01&issue_date_to=2026-01-01'],
      400,
      'invalid_request',
      'issue_date_to must not be before issue_date_from',
    ],
  ];

  it('makes one of many mistakes', () => expect(MISTAKES.length).toBeGreaterThanOrEqual(50));

  it.each(MISTAKES)('%s gets an error that says what to do', async (_name, mistake, status, code, detail) => {
    const [path, init = {}] = mistake();
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) };
    const problem = await expectProblem(await fetch(`${full.api.origin}${path}`, { ...init, headers }), status, code);
    expect(problem.detail).toBe(detail);
    // The list of errors has the same text as the detail.
    if (problem.errors) expect(problem.errors.map((error) => error.detail).join('; ')).toBe(detail);
  });
});

/** The token with two different neighbouring characters exchanged. */
function swapped(text: string): string {
  const at = [...text].findIndex((letter, index) => index > 20 && letter !== text[index + 1]);
  return `${text.slice(0, at)}${text[at + 1] ?? ''}${text[at] ?? ''}${text.slice(at + 2)}`;
}

function meant(path: string): string {
  return `There is nothing at this address; did you mean ${path}?`;
}
