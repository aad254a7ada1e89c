import { Option, SubCommand } from 'nest-commander';
import { AuditOperatorService } from '@platform/audit';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer?: string;
  action?: string;
  limit?: number;
}

@SubCommand({ name: 'list', description: 'show who did what, newest first' })
export class AuditListCommand extends OperatorCommand<Options> {
  constructor(private readonly auditTrail: AuditOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'only changes that concern this customer' })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--action <name>', description: 'only this action, such as token.issue' })
  parseAction(text: string): string {
    return text;
  }

  @Option({ flags: '--limit <n>', description: 'entries at most; default 100' })
  parseLimit(text: string): number {
    return read.wholeNumber(text);
  }

  protected execute({ customer, action, limit = 100 }: Options) {
    return this.auditTrail.list({ customerId: customer, action, limit });
  }
}
