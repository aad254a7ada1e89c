import type { Mutant } from '../mutant';

const CREATE = 'libs/domains/credit-requests/src/sql/create-credit-request.sql';
const OPERATOR_SERVICE = 'libs/domains/credit-requests/src/operator/credit-requests-operator.service.ts';
const DECISIONS = ['test/e2e/credit-request-decisions'];
const SPECS = ['libs/domains/credit-requests'];
const CREDIT = ['test/e2e/ai-credit'];

/** Credit requests and the operator's decisions. */
export const creditRequests: Mutant[] = [
  {
    name: 'credit requests: a reference stands for waiting ones only',
    file: CREATE,
    find: 'and r.reference = p_reference;',
    replace: "and r.reference = p_reference and r.status = 'pending';",
    specs: DECISIONS,
  },
  {
    name: 'credit requests: one more than the cap may wait',
    file: CREATE,
    find: 'if waiting >= cap then',
    replace: 'if waiting > cap then',
    specs: SPECS,
  },
  {
    name: 'credit requests: decided ones count towards the cap',
    file: CREATE,
    find: " and r.status = 'pending';\n  if waiting",
    replace: ';\n  if waiting',
    specs: [...SPECS, ...DECISIONS],
  },
  {
    name: "credit requests: a customer's own cap is ignored",
    file: CREATE,
    find: 'coalesce(c.pending_credit_requests, p_default_cap)',
    replace: 'coalesce(p_default_cap, c.pending_credit_requests)',
    specs: SPECS,
  },
  {
    name: 'credit requests: those at the same time do not wait for each other',
    file: CREATE,
    find: "  perform pg_advisory_xact_lock(hashtextextended('credit request of ' || p_customer, 0));\n",
    replace: '',
    specs: SPECS,
  },
  {
    name: 'credit requests: a customer without AI may ask',
    file: CREATE,
    find: 's.customer_id = p_customer and s.enabled',
    replace: 's.customer_id = p_customer',
    specs: SPECS,
  },
  {
    name: 'credit requests: two approvals at once do not wait for each other',
    file: OPERATOR_SERVICE,
    find: "      lock: { mode: 'pessimistic_write' },\n",
    replace: '',
    specs: SPECS,
  },
  {
    name: 'credit requests: an approved one is approved again',
    file: OPERATOR_SERVICE,
    find: "if (request.status === 'approved') return request;",
    replace: '',
    specs: SPECS,
  },
  {
    name: 'credit requests: a rejected one may be approved',
    file: OPERATOR_SERVICE,
    find: "if (request.status === 'rejected')\n        throw",
    replace: "if (request.status === 'rejected' && id < 0)\n        throw",
    specs: SPECS,
  },
  {
    name: 'credit requests: the log does not say why one was rejected',
    file: OPERATOR_SERVICE,
    find: 'metadata: { credit_request_id: id, reason },',
    replace: 'metadata: { credit_request_id: id },',
    specs: DECISIONS,
  },
  {
    name: 'credit requests: a rejection typed twice is logged twice',
    file: OPERATOR_SERVICE,
    find: "if (request.status === 'rejected') return request;",
    replace: '',
    specs: DECISIONS,
  },
  {
    name: 'credit requests: an approval is not audited',
    file: OPERATOR_SERVICE,
    find: `action: 'credit-request.approve',`,
    replace: `action: 'credit-request' as never,`,
    specs: DECISIONS,
  },
  {
    name: 'credit requests: the invoice is dated by UTC',
    file: OPERATOR_SERVICE,
    find: 'this.calendar.dateOf(now)',
    replace: 'now.toISOString().slice(0, 10)',
    specs: [...SPECS, ...DECISIONS],
  },
  {
    name: 'credit requests: a customer that may have none pending has the default',
    file: CREATE,
    find: 'coalesce(c.pending_credit_requests, p_default_cap)',
    replace: 'coalesce(nullif(c.pending_credit_requests, 0), p_default_cap)',
    specs: SPECS,
  },
  {
    name: 'credit requests: the pending ones are shown oldest first',
    file: 'libs/domains/credit-requests/src/customer/pending-credit-requests.service.ts',
    find: "${request.column('createdAt')} desc, ${request.column('id')} desc",
    replace: "${request.column('createdAt')}, ${request.column('id')}",
    specs: [...SPECS, ...CREDIT],
  },
  {
    name: 'credit requests: a rejected one is shown as pending',
    file: 'libs/domains/credit-requests/src/customer/pending-credit-requests.service.ts',
    find: " = 'pending')",
    replace: " <> 'approved')",
    specs: [...SPECS, ...DECISIONS, ...CREDIT],
  },
  {
    name: 'credit requests: a repeated one is 201',
    file: 'apps/customer-api/src/credit-requests/credit-requests.controller.ts',
    find: 'created ? HttpStatus.CREATED : HttpStatus.OK',
    replace: 'created ? HttpStatus.CREATED : HttpStatus.CREATED',
    specs: CREDIT,
  },
  {
    name: 'credit requests: an approved one may be rejected',
    file: OPERATOR_SERVICE,
    find: `if (request.status === 'approved')
        throw`,
    replace: `if (request.status === 'approved' && id < 0)
        throw`,
    specs: [...SPECS, ...DECISIONS],
  },
];
