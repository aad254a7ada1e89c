import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CustomerDatabaseService, prepared } from '@platform/database';
import { IdempotencyStoreService } from '@platform/idempotency';

const RESOLVE = prepared('ai.resolve-abandoned-call', 'select app.ai_resolve_abandoned_call($1, $2) as resolved');

/** Lets a retry have its Idempotency-Key again when the process that made the call has died. */
@Injectable()
export class AbandonedCallsService implements OnModuleInit {
  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly keys: IdempotencyStoreService,
  ) {}

  onModuleInit(): void {
    this.keys.endAbandonedBy((reservationId) => this.resolve(reservationId));
  }

  /** Gives up the customer's abandoned calls, uncharged, if this is one of them. @returns whether it was */
  private async resolve(reservationId: string): Promise<boolean> {
    const [row] = await this.database.write<{ resolved: boolean }>(RESOLVE, [reservationId]);
    return row?.resolved ?? false;
  }
}
