import { Option, SubCommand } from 'nest-commander';
import { SmsOperatorService } from '@domains/sms';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
}

@SubCommand({ name: 'log', description: 'show the newest SMS of a customer' })
export class SmsLogCommand extends OperatorCommand<Options> {
  constructor(private readonly sms: SmsOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.sms.log(customer);
  }
}
