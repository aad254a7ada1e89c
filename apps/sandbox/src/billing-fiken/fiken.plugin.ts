import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { json } from '../shared/answer';
import { type Directives } from '../shared/faults/directives';
import { onePagePdf } from '../shared/pdf';
import { replyWith } from '../shared/reply-with';
import { type FikenControl } from './fiken-control';
import { fikenError } from './fiken-errors';
import { creditNoteFilter, FikenRefusal, invoiceFilter, paginate, type Query } from './fiken-query';
import { serve } from './fiken-serve';
import { type FikenCompany } from './fiken-store';
import { wireCreditNote, wireInvoice } from './fiken-wire';

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
 * `GET /companies/:slug/invoices`, `…/invoices/:id`, `…/creditNotes`, `…/creditNotes/:id` and the files they link to.
 * @param path the path of this API, with which download links start
 */
export function fiken(app: FastifyInstance, control: FikenControl, path: string): void {
  const files = (request: FastifyRequest) => `${request.protocol}://${request.host}${path}/files`;

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
    serve(control, request, reply, () => {
      const { slug, invoices } = company(control, request.params.slug);
      const invoice = invoices.find(({ invoiceId }) => String(invoiceId) === request.params.id);
      if (!invoice) throw new FikenRefusal(404, 'Invoice not found');
      return json(200, wireInvoice(invoice, slug, files(request)));
    }),
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
    serve(control, request, reply, () => {
      const { slug, creditNotes } = company(control, request.params.slug);
      const note = creditNotes.find(({ creditNoteId }) => String(creditNoteId) === request.params.id);
      if (!note) throw new FikenRefusal(404, 'Credit note not found');
      return json(200, wireCreditNote(note, slug, files(request)));
    }),
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
