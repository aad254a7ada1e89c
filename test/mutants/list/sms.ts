import type { Mutant } from '../mutant';

const SETTINGS = 'libs/domains/sms/src/operator/sms-operator.service.ts';
const CREATE = 'libs/domains/sms/src/customer/sending/sql/create-sms.sql';
const OUTCOME = 'libs/domains/sms/src/customer/sending/sql/record-sms-outcome.sql';
const HTTP = 'libs/domains/sms/src/adapters/http-sms.adapter.ts';
const ELKS_REPORT = 'libs/domains/sms/src/adapters/elks/elks-report.ts';
const DAY = ['test/contract/sms-day', 'test/contract/sms-sending'];
const GATEWAY = ['test/contract/sms-gateway'];
const REPORTS = ['test/contract/sms-delivery-reports'];
const OPERATOR = ['test/e2e/operator-invoices'];

/** SMS: the cap, the gateways' replies, delivery reports. */
export const sms: Mutant[] = [
  {
    name: 'sms: the day is that of UTC',
    file: CREATE,
    find: 'today constant date := (present at time zone p_zone)::date;',
    replace: "today constant date := (present at time zone 'UTC')::date;",
    specs: DAY,
  },
  {
    name: 'sms: what was not sent is taken off the count of another day',
    file: OUTCOME,
    find: 'sent_on := (former.created_at at time zone p_zone)::date;',
    replace: 'sent_on := (present at time zone p_zone)::date;',
    specs: DAY,
  },
  {
    name: 'sms: one more than the cap is sent',
    file: CREATE,
    find: 'where c.messages < most',
    replace: 'where c.messages <= most',
    specs: DAY,
  },
  {
    name: "sms: a customer's own cap is ignored",
    file: CREATE,
    find: 'coalesce(allowed.daily_cap, p_default_cap)',
    replace: 'p_default_cap',
    specs: DAY,
  },
  {
    name: 'sms: a customer that was switched off may send',
    file: CREATE,
    find: ' and s.enabled;',
    replace: ';',
    specs: DAY,
  },
  {
    name: 'sms: what was not sent counts',
    file: OUTCOME,
    find: 'messages = c.messages - 1',
    replace: 'messages = c.messages',
    specs: DAY,
  },
  {
    name: 'sms: a message is sent without an audit entry',
    file: CREATE,
    find: "'sms.send'",
    replace: "'sms'",
    specs: DAY,
  },
  {
    name: 'sms: a failure after a delivery is believed',
    file: OUTCOME,
    find: 'status = case when is_news then p_status else m.status end',
    replace: 'status = p_status',
    specs: REPORTS,
  },
  {
    name: 'sms: the reason of a failure stays after a delivery',
    file: OUTCOME,
    find: 'then p_error_code else m.error_code end',
    replace: 'then coalesce(p_error_code, m.error_code) else m.error_code end',
    specs: REPORTS,
  },
  {
    name: 'sms: a server that failed certainly sent nothing',
    file: HTTP,
    find: "if (!REFUSALS.has(status)) return { kind: 'unknown'",
    replace: "if (!REFUSALS.has(status)) return { kind: 'unreachable'",
    specs: GATEWAY,
  },
  {
    name: 'sms: a message is sent again after it was cut off',
    file: HTTP,
    find: "retry: 'turned_away'",
    replace: "retry: 'always' as never",
    specs: GATEWAY,
  },
  {
    name: 'sms: a refused account is the customer’s fault',
    file: HTTP,
    find: 'if (status === 401 || status === 402 || status === 403)',
    replace: 'if (status === 402 || status === 403)',
    specs: GATEWAY,
  },
  {
    name: 'sms: a time-out after the message left means nothing was sent',
    file: HTTP,
    find: 'if (sent) return',
    replace: 'if (sent && !timedOut) return',
    specs: GATEWAY,
  },
  {
    name: "sms: a report with another's signature is believed",
    file: 'libs/domains/sms/src/delivery-reports/report-references.service.ts',
    find: 'if (!this.keys.some((key) => timingSafeEqual(signature, sign(ids, key)))) return undefined;',
    replace: 'void [timingSafeEqual, signature];',
    specs: [...REPORTS, 'libs/domains/sms/src/delivery-reports'],
  },
  {
    name: 'sms: a report of an unknown status is taken for a failure',
    file: ELKS_REPORT,
    find: " || (status !== 'sent' && status !== 'delivered' && status !== 'failed')",
    replace: '',
    specs: REPORTS,
  },
  {
    name: 'sms: the sender is not the one that the operator set',
    file: 'libs/domains/sms/src/adapters/elks/elks.adapter.ts',
    find: 'from: senderId',
    replace: 'from: to',
    specs: GATEWAY,
  },
  {
    name: 'sms: a number that cannot exist is sent to',
    file: 'libs/domains/sms/src/customer/sending/phone-number.ts',
    find: 'if (!E164.test(text)) return false;',
    replace: '',
    specs: ['libs/domains/sms/src/customer/sending'],
  },
  {
    name: 'sms: a result code that says nothing is a refusal',
    file: 'libs/domains/sms/src/adapters/link-mobility/link-result.ts',
    find: ": { status: 'unknown', errorCode: 'gateway_error' };",
    replace: ": { status: 'failed', errorCode: 'not_delivered' };",
    specs: ['libs/domains/sms/src/adapters'],
  },
  {
    name: 'sms: the cap in parts is ignored',
    file: CREATE,
    find: ' and c.parts + p_segments <= most_parts;',
    replace: ';',
    specs: ['test/contract/sms-permissions'],
  },
  {
    name: 'sms: parts of what was not sent stay counted',
    file: OUTCOME,
    find: 'parts = greatest(c.parts - former.segments, 0)',
    replace: 'parts = c.parts',
    specs: ['test/contract/sms-permissions'],
  },
  {
    name: 'sms: a country that is not allowed is sent to',
    file: CREATE,
    find: 'not coalesce(p_country = any(places), false)',
    replace: 'not coalesce(p_country = any(places), true)',
    specs: ['test/contract/sms-permissions'],
  },
  {
    name: 'sms: a premium rate number is sent to',
    file: 'libs/domains/sms/src/customer/sending/phone-number.ts',
    find: "number.getType() === 'PREMIUM_RATE'",
    replace: "number.getType() === 'PAGER'",
    specs: ['libs/domains/sms/src/customer/sending'],
  },
  {
    name: 'sms: a time of delivery that cannot be is stored',
    file: OUTCOME,
    find: 'when p_delivered_at between former.created_at - slack and present + slack',
    replace: 'when p_delivered_at is not null',
    specs: ['test/contract/sms-strange-reports'],
  },
  {
    name: 'sms: what did not arrive does not count for its day',
    file: 'libs/domains/sms/src/delivery-reports/report-store.service.ts',
    find: '...updateValues(update), null]',
    replace: `...updateValues(update), 'UTC']`,
    specs: [...DAY, ...REPORTS],
  },
  {
    name: 'sms: an answer is given before the outcome is stored',
    file: 'libs/domains/sms/src/customer/sending/sms-sending.service.ts',
    find: 'const result = await this.outcomes.conclude(row, gateway, updateOf(outcome));',
    replace: `void this.outcomes.conclude(row, gateway, updateOf(outcome));
    const result = row;`,
    specs: DAY,
  },
  {
    name: 'sms: a change of settings resets the cap',
    file: SETTINGS,
    find: 'changed(change.dailyCap, present?.dailyCap)',
    replace: 'changed(change.dailyCap, null)',
    specs: OPERATOR,
  },
  {
    name: 'sms: the operator’s log is oldest first',
    file: 'libs/platform/database/src/definitions/newest-rows.ts',
    find: "query.addOrderBy('t.id', 'DESC')",
    replace: "query.addOrderBy('t.id', 'ASC')",
    specs: OPERATOR,
  },
];
