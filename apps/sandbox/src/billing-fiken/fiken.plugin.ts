import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UpstreamControl } from '../shared/faults/upstream-control';
import { type FikenCompany, FikenStore } from './fiken-store';
import { type Answer, json, replyWith } from '../shared/answer';
import type { Directives } from '../shared/faults/directives';
import { onePagePdf } from '../shared/billing-documents';
import { creditNoteFilter, FikenRefusal, invoiceFilter, paginate, type Query } from './fiken-query';
import { wireCreditNote, wireInvoice } from './fiken-wire';
import { bearerToken, standing } from '../shared/credentials';

/** Controls of the Fiken sandbox. Directives are part of the token. */
export class FikenControl extends UpstreamControl {
  readonly store = new FikenStore();
  /** Fiken's rule of one concurrent request per client: further requests get 429. Off by default. */
  oneAtATime = false;
  /** Number of requests that were refused because another one was in progress. */
  refused = 0;
  /** Minimum size of PDFs in bytes. */
  largePdf = 0;
  private underway = 0;

  constructor(recordLimit: number) {
    super(['status', 'retry-after', 'endless', 'blank-page'], recordLimit);
  }

  override reset(): void {
    super.reset();
    this.store.clear();
    this.oneAtATime = false;
    this.refused = 0;
    this.largePdf = 0;
  }

  /** @internal counts a request until it is answered; returns whether another one was in progress */
  enter(reply: FastifyReply): boolean {
    const crowded = this.oneAtATime && this.underway > 0;
    if (crowded) this.refused += 1;
    this.underway += 1;
    reply.raw.once('close', () => {
      this.underway -= 1;
    });
    return crowded;
  }
}

interface Company {
  Params: { slug: string };
}
interface List {
  Params: { slug: string };
  Querystring: Query;
}
interface One {
  Params: { slug: string; id: string };
}
interface File {
  Params: { id: string; name: string };
}

/**
 * `GET /companies/:slug`, `…/invoices`, `…/invoices/:id`, `…/creditNotes`, `…/creditNotes/:id` and the files they link to.
 * @param path the path of this API, with which download links start
 */
export function fiken(app: FastifyInstance, control: FikenControl, path: string): void {
  const files = (request: FastifyRequest) => `${request.protocol}://${request.host}${path}/files`;

  app.get<Company>('/companies/:slug', (request, reply) =>
    serve(control, request, reply, () => {
      const { slug } = company(control, request.params.slug);
      return json(200, { name: `Company ${slug}`, slug });
    }),
  );
  app.get<List>('/companies/:slug/invoices', (request, reply) =>
    serve(
      control,
      request,
      reply,
      (directives) => {
        const { slug, invoices } = company(control, request.params.slug);
        const matching = invoices.filter(invoiceFilter(request.query));
        const endless = directives.has('endless');
        const { items, headers } = paginate(matching, endless ? { ...request.query, page: '0' } : request.query);
        const shown = directives.has('blank-page') ? [] : items;
        return json(
          200,
          shown.map((invoice) => wireInvoice(invoice, slug, files(request))),
          { ...headers, ...manyPages(directives, request.query) },
        );
      },
      [request.query.customerId].flat()[0],
    ),
  );
  app.get<One>('/companies/:slug/invoices/:id', (request, reply) =>
    serve(
      control,
      request,
      reply,
      () => {
        const { slug, invoices } = company(control, request.params.slug);
        const invoice = invoices.find(({ invoiceId }) => String(invoiceId) === request.params.id);
        if (!invoice) throw new FikenRefusal(404, 'Invoice not found');
        return json(200, wireInvoice(invoice, slug, files(request)));
      },
      `invoices/${request.params.id}`,
    ),
  );
  app.get<List>('/companies/:slug/creditNotes', (request, reply) =>
    serve(control, request, reply, () => {
      const { slug, creditNotes } = company(control, request.params.slug);
      const matching = creditNotes.filter(creditNoteFilter(request.query));
      const { items, headers } = paginate(matching, request.query);
      return json(
        200,
        items.map((note) => wireCreditNote(note, slug, files(request))),
        headers,
      );
    }),
  );
  app.get<One>('/companies/:slug/creditNotes/:id', (request, reply) =>
    serve(
      control,
      request,
      reply,
      () => {
        const { slug, creditNotes } = company(control, request.params.slug);
        const note = creditNotes.find(({ creditNoteId }) => String(creditNoteId) === request.params.id);
        if (!note) throw new FikenRefusal(404, 'Credit note not found');
        return json(200, wireCreditNote(note, slug, files(request)));
      },
      `creditNotes/${request.params.id}`,
    ),
  );
  app.get<File>('/files/:id/:name', (request, reply) =>
    serve(control, request, reply, () => {
      const { id, name } = request.params;
      if (!control.store.hasFile(id, name)) throw new FikenRefusal(404, 'File not found');
      return { status: 200, headers: { 'content-type': 'application/pdf' }, body: pdfOf(name, control.largePdf) };
    }),
  );
  app.setNotFoundHandler((_request, reply) => replyWith(reply, fikenError(404, 'Not found')));
}

/** A PDF of a minimum size: blanks after its end are allowed. */
function pdfOf(name: string, bytes: number): Buffer {
  const pdf = onePagePdf(`Sandbox ${name}`);
  return bytes === 0 ? pdf : Buffer.concat([pdf, Buffer.alloc(bytes, ' ')]);
}

/** Claims more pages than there are, if a directive asks for it. */
function manyPages(directives: Directives, { page }: Query): Record<string, string> {
  if (!directives.has('endless') && !directives.has('blank-page')) return {};
  return { 'Fiken-Api-Page': String(page ?? 0), 'Fiken-Api-Page-Count': '1000000' };
}

function company(control: FikenControl, slug: string): FikenCompany {
  const found = control.store.find(slug);
  if (!found) throw new FikenRefusal(404, `No company ${slug}`);
  return found;
}

/** Answers a request with `respond`, unless its token, its directives or a request in progress prevent it. */
function serve(
  control: FikenControl,
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (directives: Directives) => Answer,
  subject?: string,
): void {
  const token = bearerToken(control.receive(request).headers.authorization);
  const crowded = control.enter(reply);
  control.answer(reply, {
    find: () => control.inText(token ?? ''),
    ...(subject !== undefined && { subject }),
    respond: (directives) =>
      refuseToken(token) ??
      refuseByDirective(directives) ??
      (crowded ? tooManyRequests(1) : attempt(() => respond(directives))),
    complain: (message) => fikenError(400, message),
  });
}

function attempt(respond: () => Answer): Answer {
  try {
    return respond();
  } catch (error) {
    if (error instanceof FikenRefusal) return fikenError(error.status, error.message);
    throw error;
  }
}

const TOO_MANY = 'Too many requests';

/** An error in the format of Fiken's login; for the rest of the API only the status is documented. */
function fikenError(status: number, description: string, headers: Record<string, string> = {}): Answer {
  const error = status === 401 ? 'invalid_token' : status < 500 ? 'bad_request' : 'server_error';
  return json(status, { error, error_description: description }, headers);
}

function tooManyRequests(retryAfterSeconds: number): Answer {
  return fikenError(429, TOO_MANY, { 'retry-after': String(retryAfterSeconds) });
}

function refuseToken(token: string | undefined): Answer | undefined {
  switch (standing(token)) {
    case 'missing':
    case 'invalid':
      return fikenError(401, 'The access token is missing or invalid', { 'www-authenticate': 'Bearer' });
    case 'forbidden':
      return fikenError(403, 'The access token does not give access to this company');
    case 'good':
      return undefined;
  }
}

function refuseByDirective(directives: Directives): Answer | undefined {
  const status = directives.number('status');
  if (status === undefined || status === 200) return undefined;
  const text = status === 429 ? TOO_MANY : `The sandbox answers ${status}`;
  return fikenError(status, text, directives.retryAfter(status));
}
