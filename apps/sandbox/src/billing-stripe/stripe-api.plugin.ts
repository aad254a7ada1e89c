import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { UpstreamControl } from '../shared/faults/upstream-control';
import { StripeStore } from './stripe-store';
import { json } from '../shared/answer';
import { basicCredentials, bearerToken } from '../shared/credentials';
import type { Directives } from '../shared/faults/directives';
import { nextId } from '../shared/identifiers';
import { refuseByDirective, refuseKey, stripeError, StripeRefusal } from './stripe-errors';
import { wireCreditNote, wireInvoice } from './stripe-wire';
import { listCreditNotes, listInvoices, missing, type Page, type Query } from './stripe-list';

/** Controls of the Stripe sandbox. Directives are part of the secret key. */
export class StripeControl extends UpstreamControl {
  readonly store = new StripeStore();

  constructor(recordLimit: number) {
    super(['status', 'retry-after', 'endless', 'blank-page'], recordLimit);
  }

  override reset(): void {
    super.reset();
    this.store.clear();
  }
}

/**
 * `GET /v1/invoices` and `GET /v1/credit_notes`, the lists and single documents.
 * @param linkPath the path under which the links in a document are reachable
 */
export function stripeApi(app: FastifyInstance, control: StripeControl, linkPath: string): void {
  const { store } = control;
  documents(app, control, linkPath, {
    path: '/v1/invoices',
    list: (query) => listInvoices(store, query),
    get: (id) => store.get(id),
    write: wireInvoice,
  });
  documents(app, control, linkPath, {
    path: '/v1/credit_notes',
    list: (query) => listCreditNotes(store, query),
    get: (id) => store.getCreditNote(id),
    write: wireCreditNote,
  });
}

/** A kind of document: how to find it, and its wire format. */
interface Kind<Item> {
  path: string;
  list: (query: Query) => Page<Item>;
  get: (id: string) => Item | undefined;
  write: (item: Item, base: string, linkGeneration: number) => object;
}

function documents<Item>(app: FastifyInstance, control: StripeControl, linkPath: string, kind: Kind<Item>): void {
  const { path } = kind;
  const write = (request: FastifyRequest, item: Item) =>
    kind.write(item, `${request.protocol}://${request.host}${linkPath}`, control.store.linkGeneration);

  app.get<{ Querystring: Query }>(path, (request, reply) =>
    serve(
      control,
      request,
      reply,
      (directives) => {
        const endless = directives.has('endless');
        const { page, hasMore } = kind.list(endless ? { ...request.query, starting_after: undefined } : request.query);
        const data = directives.has('blank-page') ? [] : page.map((item) => write(request, item));
        const has_more = hasMore || endless || directives.has('blank-page');
        return { object: 'list', data, has_more, url: path };
      },
      [request.query.customer].flat()[0],
    ),
  );
  app.get<{ Params: { id: string } }>(`${path}/:id`, (request, reply) =>
    serve(
      control,
      request,
      reply,
      () => {
        const item = kind.get(request.params.id);
        if (!item) throw missing('id', request.params.id, 404);
        return write(request, item);
      },
      request.params.id,
    ),
  );
}

function serve(
  control: StripeControl,
  request: FastifyRequest,
  reply: FastifyReply,
  body: (directives: Directives) => object,
  subject?: string,
): void {
  const requestId = nextId('req_');
  const { authorization } = control.receive(request).headers;
  // The official SDK sends Bearer; curl examples send the key as a Basic user name without a password.
  const key = bearerToken(authorization) ?? basicCredentials(authorization)?.user;
  control.answer(reply, {
    find: () => control.inText(key ?? ''),
    ...(subject !== undefined && { subject }),
    respond: (directives) => {
      const refusal = refuseKey(key, requestId) ?? refuseByDirective(directives, requestId);
      if (refusal) return refusal;
      try {
        return json(200, body(directives), { 'request-id': requestId });
      } catch (error) {
        if (error instanceof StripeRefusal) return stripeError(error.status, requestId, error.message, error.details);
        throw error;
      }
    },
    complain: (message) => stripeError(400, requestId, message),
  });
}
