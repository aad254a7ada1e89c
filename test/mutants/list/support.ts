import type { Mutant } from '../mutant';

const OPERATOR_SERVICE = 'libs/domains/support/src/operator/tickets-operator.service.ts';
const TICKETS = 'libs/domains/support/src/customer/tickets.service.ts';
const THREADS = ['test/e2e/ticket-threads', 'test/e2e/support-tickets'];
const EVENTS = 'libs/domains/status/src/operator/status-events-operator.service.ts';
const READER = 'libs/domains/status/src/customer/service-status.service.ts';
const STATUS = ['test/e2e/status'];
const REPLY = 'libs/domains/support/src/sql/reply-to-support-ticket.sql';
const REPLIES = ['test/e2e/ticket-replies'];
const OPERATOR = [...THREADS, 'test/e2e/operator-invoices'];

/** Support tickets and service status. */
export const support: Mutant[] = [
  {
    name: 'support: a ticket without a priority is low',
    file: TICKETS,
    find: "ticket.priority ?? 'normal'",
    replace: "ticket.priority ?? 'low'",
    specs: THREADS,
  },
  {
    name: 'support: a note shows in the times of a ticket',
    file: OPERATOR_SERVICE,
    find: 'if (!internal)',
    replace: 'if (id)',
    specs: THREADS,
  },
  {
    name: 'support: an answer does not show in the times of a ticket',
    file: OPERATOR_SERVICE,
    find: 'if (!internal)',
    replace: 'if (internal)',
    specs: THREADS,
  },
  {
    name: 'support: every note is an answer',
    file: OPERATOR_SERVICE,
    find: '{ customerId, id, ticketId, author, internal, body, createdAt',
    replace: '{ customerId, id, ticketId, author, internal: internal && body === "", body, createdAt',
    specs: THREADS,
  },
  {
    name: 'support: a thread is newest first',
    file: 'libs/domains/support/src/customer/ticket-view.ts',
    find: 'order by l.place desc',
    replace: 'order by l.place',
    specs: THREADS,
  },
  {
    name: 'support: the log forgets the status before',
    file: OPERATOR_SERVICE,
    find: 'from: before, to: status',
    replace: 'from: status, to: status',
    specs: THREADS,
  },
  {
    name: 'support: a ticket is opened without an audit entry',
    file: 'libs/domains/support/src/sql/open-support-ticket.sql',
    find: "'ticket.open'",
    replace: "'ticket.opened'",
    specs: THREADS,
  },
  {
    name: "support: a ticket about another's service is stored all the same",
    file: 'libs/domains/support/src/sql/open-support-ticket.sql',
    find: '    return null;\n',
    replace: '    p_service := null;\n',
    specs: THREADS,
  },
  {
    name: 'support: a reply leaves a resolved ticket resolved',
    file: REPLY,
    find: "set status = 'open', updated_at",
    replace: 'set updated_at',
    specs: REPLIES,
  },
  {
    name: 'support: a closed ticket takes replies',
    file: REPLY,
    find: "when former = 'closed' then 'closed' ",
    replace: '',
    specs: REPLIES,
  },
  {
    name: 'support: two replies at a time are one too many',
    file: REPLY,
    find: ' for update;',
    replace: ';',
    specs: REPLIES,
  },
  {
    name: 'support: notes fill a ticket',
    file: REPLY,
    find: ' and not r.internal)',
    replace: ')',
    specs: REPLIES,
  },
  {
    name: 'support: a closed ticket is closed again',
    file: 'libs/domains/support/src/sql/close-support-ticket.sql',
    find: "if former <> 'closed' then",
    replace: 'if former is not null then',
    specs: REPLIES,
  },
  {
    name: 'support: a note answers a ticket',
    file: OPERATOR_SERVICE,
    find: ' and not r.internal',
    replace: '',
    specs: REPLIES,
  },
  {
    name: 'status: an event is ended again',
    file: EVENTS,
    find: 'if (event.endsAt && event.endsAt <=',
    replace: 'if (event.endsAt && event.endsAt >',
    specs: STATUS,
  },
  {
    name: 'status: an event that has not begun ends before its start',
    file: EVENTS,
    find: 'event.startsAt > now ? event.startsAt : now',
    replace: 'now',
    specs: STATUS,
  },
  {
    name: 'status: the mildest event decides',
    file: READER,
    find: "array['outage', 'degraded', 'maintenance', 'operational']",
    replace: "array['operational', 'maintenance', 'degraded', 'outage']",
    specs: STATUS,
  },
  {
    name: 'status: what has ended counts',
    file: READER,
    find: '(${ends} is null or ${ends} > app.now())',
    replace: '(${ends} is null or ${ends} is not null)',
    specs: STATUS,
  },
  {
    name: 'status: the oldest events are shown',
    file: READER,
    find: "${event.column('startsAt')} desc",
    replace: "${event.column('startsAt')}",
    specs: STATUS,
  },
  {
    name: 'support: a new status does not show in the times of a ticket',
    file: OPERATOR_SERVICE,
    find: `{ status, updatedAt: () => 'app.now()' }`,
    replace: '{ status }',
    specs: THREADS,
  },
  {
    name: 'support: the operator reads a thread newest first',
    file: OPERATOR_SERVICE,
    find: `const order = { createdAt: 'ASC', id: 'ASC' } as const;`,
    replace: `const order = { createdAt: 'DESC', id: 'DESC' } as const;`,
    specs: OPERATOR,
  },
  {
    name: 'support: the operator’s list is of every status',
    file: OPERATOR_SERVICE,
    find: ', ...(status && { status }) };',
    replace: ' };',
    specs: OPERATOR,
  },
  {
    name: 'support: a note is audited as a reply',
    file: OPERATOR_SERVICE,
    find: `internal ? 'ticket.note' : 'ticket.reply'`,
    replace: `'ticket.reply'`,
    specs: OPERATOR,
  },
  {
    name: 'support: what the customer said on the telephone is the operator’s',
    file: OPERATOR_SERVICE,
    find: 'ticketId, author, internal,',
    replace: `ticketId, author: 'operator' as const, internal,`,
    specs: OPERATOR,
  },
  {
    name: 'status: what is announced for later begins at once',
    file: EVENTS,
    find: `const begins = startsAt ?? (() => 'app.now()');`,
    replace: `const begins = () => 'app.now()';`,
    specs: STATUS,
  },
  {
    name: 'status: the end of an event is not audited',
    file: EVENTS,
    find: `await this.audit.record(manager, { customerId, actor, action: 'status.end', metadata: { event_id: id } });`,
    replace: '',
    specs: STATUS,
  },
  {
    name: 'status: an event that ends this very moment counts',
    file: READER,
    find: '${ends} > app.now()',
    replace: '${ends} >= app.now()',
    specs: STATUS,
  },
  {
    name: 'status: an event that begins this very moment does not run',
    file: READER,
    find: '${starts} <= app.now() and',
    replace: '${starts} < app.now() and',
    specs: STATUS,
  },
  {
    name: 'status: a service has the events of the customer’s other services',
    file: READER,
    find: " and ${event.column('serviceId')} = ${service.column('id')}",
    replace: '',
    specs: STATUS,
  },
];
