import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { upstreamSettings } from '../../provider-keys/provider-keys.service';
import { ProcessHeartbeatService } from '../../liveness/process-heartbeat.service';

/** What the ledger's functions are told with every batch. */
@Injectable()
export class CallSettingsService {
  /** The provider's name in the usage rows: every call goes to the Messages API. */
  readonly provider = 'anthropic';
  readonly timeZone: string;
  /** How long a reservation is pending at most, as an interval. */
  readonly lifetime: string;
  /** Whether calls of customers without a key of their own are made with the service's. */
  readonly sharedKey: boolean;

  constructor(
    private readonly heartbeat: ProcessHeartbeatService,
    private readonly config: AppConfig,
  ) {
    this.timeZone = config.BILLING_TIMEZONE;
    this.lifetime = `${config.AI_UPSTREAM_TIMEOUT_MS + config.AI_RESERVATION_MARGIN_MS} milliseconds`;
    this.sharedKey = upstreamSettings(config).sharedKey !== undefined;
  }

  get processId(): string {
    return this.heartbeat.processId;
  }

  /** How long an operation waits for an account that is locked, in ms. */
  get patienceMs(): number {
    return this.config.DATABASE_STATEMENT_TIMEOUT_MS;
  }

  /**
   * When the caller of a statement that is sent now stops waiting: the database does not begin the statement after
   * that.
   */
  notAfter(): Date {
    return new Date(this.heartbeat.databaseTime().getTime() + this.config.DATABASE_STATEMENT_TIMEOUT_MS);
  }
}
