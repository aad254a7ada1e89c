import { Injectable } from '@nestjs/common';
import { AiReceiptsService } from '@domains/ai';
import type { ReplayHeaders } from '@platform/http';
import type { KeptReply } from '@platform/idempotency';
import { shortDecimal } from '@platform/money';

/**
 * What a message was charged that is replayed: its reply was sealed before that was known. What credit was left after it is
 * not said again, as it would be read as what is left now.
 */
@Injectable()
export class ReplayedChargeService implements ReplayHeaders {
  constructor(private readonly receipts: AiReceiptsService) {}

  async of({ headers }: KeptReply): Promise<Record<string, string>> {
    const usageId = headers['x-ai-usage-id'];
    const charged = usageId && (await this.receipts.chargeOf(usageId));
    return charged ? { 'x-ai-cost': shortDecimal(charged) } : {};
  }
}
