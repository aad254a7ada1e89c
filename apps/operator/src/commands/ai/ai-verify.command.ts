import { Option, SubCommand } from 'nest-commander';
import { AiVerificationOperatorService } from '@domains/ai';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
}

/** `ai verify`: check that every account equals its ledger. */
@SubCommand({ name: 'verify', description: 'list what does not add up in the AI books; fails unless that is nothing' })
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
