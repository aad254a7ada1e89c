import { Option, SubCommand } from 'nest-commander';
import { AiVerificationOperatorService } from '@domains/ai';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
}

@SubCommand({
  name: 'verify',
  description: 'check every AI account against its ledger and list the differences; fails if there are any',
})
export class AiVerifyCommand extends OperatorCommand<Options> {
  constructor(private readonly verification: AiVerificationOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'of this customer only' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  protected async execute({ customer }: Options) {
    const problems = await this.verification.verify(customer);
    if (problems.length > 0) process.exitCode = 1;
    return problems;
  }
}
