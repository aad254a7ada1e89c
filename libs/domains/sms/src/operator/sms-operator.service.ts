import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditService } from '@platform/audit';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { SmsMessage } from '../entities/sms-message.entity';
import { SmsSettings } from '../entities/sms-settings.entity';
import { senderFault } from '../sender-rules';

/** What the operator changes of a customer's settings; what is left out stays. */
export interface SmsSettingsChange {
  enabled?: boolean;
  senderId?: string;
  /** Null goes back to the service's own. */
  dailyCap?: number | null;
  /** In parts of messages. Null goes back to the service's own. */
  dailyPartsCap?: number | null;
  /** ISO 3166 codes; none for all countries, null for the service's own. */
  countries?: string[] | null;
}

/** Messages shown at most. */
const SHOWN = 200;

/** The operator's way to SMS. Every change is audited. */
@Injectable()
export class SmsOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Sets what a customer may send.
   * @throws ServiceError invalid_request for a sender that the gateway does not take, or for sending without one; not_found
   * for an unknown customer.
   */
  async configure(actor: string, customerId: string, change: SmsSettingsChange): Promise<SmsSettings> {
    const fault = change.senderId === undefined ? undefined : senderFault(this.config.SMS_GATEWAY, change.senderId);
    if (fault !== undefined) throw new ServiceError('invalid_request', fault);
    return this.dataSource.transaction(async (manager) => {
      const [customer] = await manager.query<unknown[]>('select 1 from customer where id = $1', [customerId]);
      if (!customer) throw new ServiceError('not_found', `There is no customer ${customerId}`);
      const present = await manager.findOneBy(SmsSettings, { customerId });
      const enabled = change.enabled ?? present?.enabled ?? false;
      const senderId = change.senderId ?? present?.senderId ?? null;
      const dailyCap = changed(change.dailyCap, present?.dailyCap);
      const dailyPartsCap = changed(change.dailyPartsCap, present?.dailyPartsCap);
      const countries = changed(change.countries, present?.countries);
      if (enabled && senderId === null) throw new ServiceError('invalid_request', 'SMS needs a sender id: --sender-id');
      await manager.query(
        `insert into sms_settings (customer_id, enabled, sender_id, daily_cap, daily_parts_cap, countries, updated_at)
         values ($1, $2, $3, $4, $5, $6, app.now())
         on conflict (customer_id) do update set enabled = excluded.enabled, sender_id = excluded.sender_id,
           daily_cap = excluded.daily_cap, daily_parts_cap = excluded.daily_parts_cap, countries = excluded.countries,
           updated_at = excluded.updated_at`,
        [customerId, enabled, senderId, dailyCap, dailyPartsCap, countries],
      );
      const limits = { daily_cap: dailyCap, daily_parts_cap: dailyPartsCap, countries };
      const metadata = { enabled, sender_id: senderId, ...limits };
      await this.audit.record(manager, { customerId, actor, action: 'sms.configure', metadata });
      return manager.findOneByOrFail(SmsSettings, { customerId });
    });
  }

  /** A customer's newest messages. */
  log(customerId: string): Promise<SmsMessage[]> {
    return this.dataSource.manager.find(SmsMessage, {
      where: { customerId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: SHOWN,
    });
  }
}

/** A setting after a change: what was left out stays. */
function changed<T>(change: T | null | undefined, present: T | null | undefined): T | null {
  return change === undefined ? (present ?? null) : change;
}
