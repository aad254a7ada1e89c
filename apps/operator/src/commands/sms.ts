import type { SmsStatus } from '@domains/sms';
import { optional, required } from '../options/option';
import * as read from '../options/read';
import { after, customer, limit, onlyStatus } from '../options/customer-and-list-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/sms.services.js'));

const configure = command({
  name: 'configure',
  description: "set a customer's SMS: sender, daily caps, countries",
  options: {
    customer,
    enabled: optional('--enabled <true|false>', 'whether the customer may send', read.yesOrNo),
    senderId: optional('--sender-id <sender>', 'sender that recipients see'),
    dailyCap: optional('--daily-cap <count>', 'SMS per calendar day, or default', read.limit),
    dailyPartsCap: optional('--daily-parts-cap <count>', 'parts of SMS per calendar day, or default', read.limit),
    countries: optional(
      '--countries <codes>',
      'countries that SMS may be sent to, such as NO,SE; all; or default',
      read.orDefault((text) => (text === 'all' ? [] : read.countries(text))),
    ),
  },
  examples: ['--customer 100001 --enabled true --sender-id Fjordlys --daily-cap 500 --countries NO,SE'],
  run: ({ sms }, { customer, enabled, senderId, dailyCap, dailyPartsCap, countries }, { actor }) =>
    sms.configure(actor, customer, { enabled, senderId, dailyCap, dailyPartsCap, countries }),
});

const log = command({
  name: 'log',
  description: 'list the SMS of a customer, newest first',
  options: {
    customer,
    status: onlyStatus(read.oneOf<SmsStatus>()('unknown', 'accepted', 'sent', 'failed', 'delivered')),
    limit,
    after,
  },
  examples: ['--customer 100001', '--customer 100001 --status failed --csv'],
  reads: true,
  columns: ['created_at', 'recipient', 'sender_id', 'status', 'error_code', 'message', 'id'],
  moreColumns: ['segments', 'encoding', 'gateway', 'gateway_message_id', 'delivered_at', 'updated_at', 'customer_id'],
  run: ({ sms }, { customer, status }, { listing }) => sms.log({ customerId: customer, status }, listing),
});

const show = command({
  name: 'show',
  description: 'show an SMS',
  options: { customer, sms: required('--sms <id>', 'id of the SMS', read.uuid) },
  examples: ['--customer 100001 --sms 0198c9b2-5a3e-4c41-8f60-2b8f6f0f6a51'],
  reads: true,
  run: ({ sms }, { customer, sms: id }) => sms.show(customer, id),
});

export const smsNoun: Noun = { name: 'sms', description: 'SMS of customers', commands: [configure, log, show] };
