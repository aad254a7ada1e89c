import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditLog } from '@app/audit';
import { ServiceError } from '@app/errors';
import { SmsMessage } from '../entities/sms-message.entity';
import { SmsSettings } from '../entities/sms-settings.entity';
import { isSenderId } from '../sending/sender-id';

/** What the operator changes of a customer's settings; what is left out stays. */
export interface SmsSettingsChange {
  enabled?: boolean;
  senderId?: string;
  /** Null goes back to the service's own. */
  dailyCap?: number | null;
}

/** Messages shown at most. */
const SHOWN = 200;

/** The operator's way to SMS. Every change is audited. */
@Injectable()
export class SmsAdministration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Sets what a customer may send.
   * @throws ServiceError invalid_request for a sender that no gateway takes, or for sending without one; not_found for an
   * unknown customer.
   */
  configure(actor: string, customerId: string, change: SmsSettingsChange): Promise<SmsSettings> {
    if (change.senderId !== undefined && !isSenderId(change.senderId)) {
      const detail = 'A sender id has up to 11 letters, digits and spaces with a letter among them, or is a number';
      throw new ServiceError('invalid_request', detail);
    }
    return this.dataSource.transaction(async (manager) => {
      const [customer] = await manager.query<unknown[]>('select 1 from customer where id = $1', [customerId]);
      if (!customer) throw new ServiceError('not_found', `There is no customer ${customerId}`);
      const present = await manager.findOneBy(SmsSettings, { customerId });
      const enabled = change.enabled ?? present?.enabled ?? false;
      const senderId = change.senderId ?? present?.senderId ?? null;
      const dailyCap = change.dailyCap === undefined ? (present?.dailyCap ?? null) : change.dailyCap;
      if (enabled && senderId === null) throw new ServiceError('invalid_request', 'SMS needs a sender id: --sender-id');
      await manager.query(
        `insert into sms_settings (customer_id, enabled, sender_id, daily_cap, updated_at) values ($1, $2, $3, $4, app.now())
         on conflict (customer_id) do update set enabled = excluded.enabled, sender_id = excluded.sender_id,
           daily_cap = excluded.daily_cap, updated_at = excluded.updated_at`,
        [customerId, enabled, senderId, dailyCap],
      );
      const metadata = { enabled, sender_id: senderId, daily_cap: dailyCap };
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
