import { SubCommand } from 'nest-commander';
import { SmsOperatorService } from '@domains/sms';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'log', description: 'show the newest SMS of a customer' })
export class SmsLogCommand extends commandWith(options) {
  constructor(private readonly sms: SmsOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.sms.log(customer);
  }
}
