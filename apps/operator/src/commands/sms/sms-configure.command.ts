import { optional } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { command } from '../command';

export const smsConfigure = command({
  name: 'configure',
  description: 'set what a customer may send',
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
  services: () => import('../../services/sms.services.js'),
  run: ({ sms }, { customer, enabled, senderId, dailyCap, dailyPartsCap, countries }, { actor }) =>
    sms.configure(actor, customer, { enabled, senderId, dailyCap, dailyPartsCap, countries }),
});
