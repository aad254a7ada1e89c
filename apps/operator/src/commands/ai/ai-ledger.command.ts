import { SubCommand } from 'nest-commander';
import { AiCreditOperatorService } from '@domains/ai';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'ledger', description: "list a customer's AI ledger, newest first" })
export class AiLedgerCommand extends commandWith(options) {
  constructor(private readonly credit: AiCreditOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.credit.ledger(customer);
  }
}
