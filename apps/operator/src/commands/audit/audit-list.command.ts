import { SubCommand } from 'nest-commander';
import { AuditOperatorService } from '@platform/audit';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const options = {
  customer: optional('--customer <id>', 'only changes that concern this customer', read.uuid),
  action: optional('--action <name>', 'only this action, such as token.issue'),
  limit: optional('--limit <n>', 'entries at most; default 100', read.wholeNumber),
};

@SubCommand({ name: 'list', description: 'show who did what, newest first' })
export class AuditListCommand extends commandWith(options) {
  constructor(private readonly auditTrail: AuditOperatorService) {
    super();
  }

  protected execute({ customer, action, limit = 100 }: Values<typeof options>) {
    return this.auditTrail.list({ customerId: customer, action, limit });
  }
}
