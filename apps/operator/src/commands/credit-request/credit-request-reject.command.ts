import { Option, SubCommand } from 'nest-commander';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  id: number;
  reason: string;
}

@SubCommand({ name: 'reject', description: 'reject a request; the customer can read the reason' })
export class CreditRequestRejectCommand extends OperatorCommand<Options> {
  constructor(private readonly creditRequests: CreditRequestsOperatorService) {
    super();
  }

  @Option({ flags: '--id <number>', description: 'number of the request', required: true })
  parseId(text: string): number {
    return read.wholeNumber(text);
  }

  @Option({ flags: '--reason <text>', description: 'reason, which the customer can read', required: true })
  parseReason(text: string): string {
    return text;
  }

  protected execute({ id, reason }: Options) {
    return this.creditRequests.reject(this.actor, id, reason);
  }
}
