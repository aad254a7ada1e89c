import { Injectable } from '@nestjs/common';
import {
  AiConfigurationOperatorService,
  type AiConfigurationView,
  AiCreditOperatorService,
  type CreditChange,
} from '@domains/ai';

/** Corrects customers' credit, and shows what they have then. */
@Injectable()
export class CreditCorrectionsService {
  constructor(
    private readonly configuration: AiConfigurationOperatorService,
    private readonly credit: AiCreditOperatorService,
  ) {}

  /** @throws ServiceError not_found, invalid_request */
  async add(actor: string, change: CreditChange): Promise<AiConfigurationView> {
    await this.credit.adjust(actor, change);
    return this.configuration.show(change.customerId);
  }
}
