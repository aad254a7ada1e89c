import { SubCommand } from 'nest-commander';
import { SmsOperatorService } from '@domains/sms';
import type { Values } from '../../options/option';
import { after, customer, limit, listingOf } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer, limit, after };

@SubCommand({ name: 'log', description: 'list the SMS of a customer, newest first' })
export class SmsLogCommand extends commandWith(options) {
  constructor(private readonly sms: SmsOperatorService) {
    super();
  }

  protected execute({ customer, ...listing }: Values<typeof options>) {
    return this.sms.log(customer, listingOf(listing));
  }
}
