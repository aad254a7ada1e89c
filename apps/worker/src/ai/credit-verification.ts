import { Injectable, Logger } from '@nestjs/common';
import { AiVerificationOperatorService, CreditHealthService } from '@domains/ai';

/** Verifies the AI credit of all customers, one after the other: a statement for all would hold a snapshot for minutes. */
@Injectable()
export class CreditVerification {
  private readonly logger = new Logger(CreditVerification.name);

  constructor(
    private readonly verification: AiVerificationOperatorService,
    private readonly health: CreditHealthService,
  ) {}

  /** Stores how many problems there are; one that was cut short says nothing. */
  async run(signal: AbortSignal): Promise<void> {
    let accounts = 0;
    let problems = 0;
    for await (const customerId of this.health.customers()) {
      if (signal.aborted) return;
      accounts++;
      for (const problem of await this.verification.verify(customerId)) {
        problems++;
        this.logger.error({ msg: 'AI credit does not add up', ...problem });
      }
    }
    await this.health.recordVerification(accounts, problems);
  }
}
