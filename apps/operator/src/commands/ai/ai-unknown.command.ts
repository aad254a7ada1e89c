import { Option, SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
}

@SubCommand({
  name: 'unknown',
  description: 'list calls with an unknown outcome: not charged, the provider may bill them',
})
export class AiUnknownCommand extends OperatorCommand<Options> {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'of this customer only' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected execute({ customer }: Options) {
    return this.credit.unknownOutcomes(customer);
  }
}
