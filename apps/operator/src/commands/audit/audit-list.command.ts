import { SubCommand } from 'nest-commander';
import { AuditOperatorService } from '@platform/audit';
import { optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { after, limit, listingOf } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer: optional('--customer <id>', 'only changes that concern this customer', read.uuid),
  action: optional('--action <name>', 'only this action, such as token.issue'),
  limit,
  after,
};

@SubCommand({ name: 'list', description: 'show who did what, newest first' })
export class AuditListCommand extends commandWith(options) {
  constructor(private readonly auditTrail: AuditOperatorService) {
    super();
  }

  protected execute({ customer, action, ...listing }: Values<typeof options>) {
    return this.auditTrail.list({ customerId: customer, action }, listingOf(listing));
  }
}
