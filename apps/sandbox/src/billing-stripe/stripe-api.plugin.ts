import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { json } from '../shared/answer';
import { basicCredentials, bearerToken } from '../shared/credentials';
import { nextId } from '../shared/identifiers';
import { type StripeControl } from './stripe-control';
import { stripeError, StripeRefusal } from './stripe-errors';
import { type StripeInvoice } from './stripe-invoice';
import { listInvoices, missing, type Query } from './stripe-list';
import { refuseByDirective, refuseKey } from './stripe-refusals';
import { wireInvoice } from './stripe-wire';

/**
 * `GET /v1/invoices` and `GET /v1/invoices/:id`.
 * @param linkPath the path under which the links in an invoice are reachable
 */
export function stripeApi(app: FastifyInstance, control: StripeControl, linkPath: string): void {
  const { store } = control;
  const write = (request: FastifyRequest, invoice: StripeInvoice) =>
    wireInvoice(invoice, `${request.protocol}://${request.host}${linkPath}`, store.linkGeneration);

  app.get<{ Querystring: Query }>('/v1/invoices', (request, reply) =>
    serve(control, request, reply, () => {
      const { page, hasMore } = listInvoices(store, request.query);
      return {
        object: 'list',
        data: page.map((invoice) => write(request, invoice)),
        has_more: hasMore,
        url: '/v1/invoices',
      };
    }),
  );
  app.get<{ Params: { id: string } }>('/v1/invoices/:id', (request, reply) =>
    serve(control, request, reply, () => {
      const invoice = store.get(request.params.id);
      if (!invoice) throw missing('id', request.params.id, 404);
      return write(request, invoice);
    }),
  );
}

function serve(control: StripeControl, request: FastifyRequest, reply: FastifyReply, body: () => object): void {
  const requestId = nextId('req_');
  const { authorization } = control.receive(request).headers;
  // The official SDK sends Bearer; curl examples send the key as a Basic user name without a password.
  const key = bearerToken(authorization) ?? basicCredentials(authorization)?.user;
  control.answer(reply, {
    find: () => control.inText(key ?? ''),
    respond: (directives) => {
      const refusal = refuseKey(key, requestId) ?? refuseByDirective(directives, requestId);
      if (refusal) return refusal;
      try {
        return json(200, body(), { 'request-id': requestId });
      } catch (error) {
        if (error instanceof StripeRefusal) return stripeError(error.status, requestId, error.message, error.details);
        throw error;
      }
    },
    complain: (message) => stripeError(400, requestId, message),
  });
}
