import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../shared/answer';
import { Directives } from '../shared/faults/directives';
import { nextId } from '../shared/identifiers';
import { onePagePdf } from '../shared/billing-documents';
import type { StripeControl } from './stripe-api.plugin';
import { refuseByDirective, stripeError } from './stripe-errors';
import type { StripeStore } from './stripe-store';

interface Link {
  Params: { link: string };
}

/** The hosted page and the PDF of an invoice, and the PDF of a credit note. They need no key until the link expires. */
export function stripeLinks(app: FastifyInstance, control: StripeControl): void {
  const { store } = control;
  const invoice = (id: string) => store.get(id)?.id;
  app.get<Link>('/i/:link', (request, reply) =>
    serve(control, request, reply, invoice, (id) => ({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: `<!doctype html><title>Invoice ${id}</title><h1>Sandbox invoice ${id}</h1>`,
    })),
  );
  app.get<Link>('/i/:link/pdf', (request, reply) =>
    serve(control, request, reply, invoice, (id) => pdf('invoice', id)),
  );
  const creditNote = (id: string) => store.getCreditNote(id)?.id;
  app.get<Link>('/cn/:link/pdf', (request, reply) =>
    serve(control, request, reply, creditNote, (id) => pdf('credit note', id)),
  );
}

function pdf(kind: string, id: string): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/pdf', 'content-disposition': `attachment; filename="${id}.pdf"` },
    body: onePagePdf(`Sandbox ${kind} ${id}`),
  };
}

function serve(
  control: StripeControl,
  request: FastifyRequest<Link>,
  reply: FastifyReply,
  find: (id: string) => string | undefined,
  page: (id: string) => Answer,
): void {
  const requestId = nextId('req_');
  control.receive(request);
  control.answer(reply, {
    find: () => Directives.none,
    respond: (directives) => {
      const refusal = refuseByDirective(directives, requestId);
      if (refusal) return refusal;
      const id = find(follow(control.store, request.params.link) ?? '');
      return id ? page(id) : stripeError(404, requestId, 'This link is unknown or has expired');
    },
    complain: (message) => stripeError(400, requestId, message),
  });
}

/** The document of a link, which consists of the document's id and the generation of the link. */
function follow(store: StripeStore, link: string): string | undefined {
  const [, id, generation] = /^(.+)_(\d+)$/.exec(link) ?? [];
  return Number(generation) === store.linkGeneration ? id : undefined;
}
