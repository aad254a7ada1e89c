import { SubCommand } from 'nest-commander';
import { SmsOperatorService } from '@domains/sms';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
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
};

@SubCommand({ name: 'configure', description: 'set what a customer may send' })
export class SmsConfigureCommand extends commandWith(options) {
  constructor(private readonly sms: SmsOperatorService) {
    super();
  }

  protected execute({ customer, enabled, senderId, dailyCap, dailyPartsCap, countries }: Values<typeof options>) {
    return this.sms.configure(this.actor, customer, { enabled, senderId, dailyCap, dailyPartsCap, countries });
  }
}
