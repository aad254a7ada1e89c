import { SubCommand } from 'nest-commander';
import { AiVerificationOperatorService } from '@domains/ai';
import type { Values } from '../../options/option';
import { anyCustomer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer: anyCustomer };

@SubCommand({
  name: 'verify',
  description: 'check every AI account against its ledger and list the differences; fails if there are any',
})
export class AiVerifyCommand extends commandWith(options) {
  constructor(private readonly verification: AiVerificationOperatorService) {
    super();
  }

  protected async execute({ customer }: Values<typeof options>) {
    const problems = await this.verification.verify(customer);
    if (problems.length > 0) process.exitCode = 1;
    return problems;
  }
}
