import { Injectable } from '@nestjs/common';
import { lockCustomer, requireCustomer } from '@domains/customers';
import { DataSource } from 'typeorm';
import { AuditService } from '@platform/audit';
import { AppConfig } from '@platform/config';
import { containing, OperatorList } from '@platform/database';
import { requireChange, ServiceError } from '@platform/errors';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { countryFault } from '../phone-number';
import { SmsMessage } from '../entities/sms-message.entity';
import { SmsSettings } from '../entities/sms-settings.entity';
import type { SmsStatus } from '../sms-values';
import { senderFault } from '../sender-rules';

/** A change of a customer's settings; undefined fields stay unchanged. */
export interface SmsSettingsChange {
  enabled?: boolean;
  senderId?: string;
  /** Null resets it to the service's default. */
  dailyCap?: number | null;
  /** In parts of messages. Null resets it to the service's default. */
  dailyPartsCap?: number | null;
  /** ISO 3166 codes; empty for all countries, null for the service's default. */
  countries?: string[] | null;
}

/** Filters of the log. */
export interface SmsLogFilter {
  customerId: string;
  status?: SmsStatus;
  /** A part of the recipient's number. */
  search?: string;
}

/** Manages customers' SMS settings for the operator. Every change is audited. */
@Injectable()
export class SmsOperatorService {
  private readonly messages: OperatorList<SmsMessage, Partial<SmsLogFilter>>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
  ) {
    this.messages = new OperatorList(dataSource, SmsMessage, {
      name: 'sms',
      filters: {
        customerId: 'customerId',
        status: 'status',
        search: (text) => ['t.recipient like :part', { part: containing(text) }],
      },
      listed: '-id',
    });
  }

  /**
   * Changes a customer's settings.
   * @throws ServiceError invalid_request for a sender that the gateway does not accept, for enabling SMS without a sender, or
   * for no change; not_found for an unknown customer
   */
  async configure(actor: string, customerId: string, given: SmsSettingsChange): Promise<SmsSettings> {
    const change = requireChange(given);
    const fault = change.senderId === undefined ? undefined : senderFault(this.config.SMS_GATEWAY, change.senderId);
    if (fault !== undefined) throw new ServiceError('invalid_request', fault);
    const [unknown] = (change.countries ?? []).flatMap((code) => countryFault(code) ?? []);
    if (unknown !== undefined) throw new ServiceError('invalid_request', unknown);
    return this.dataSource.transaction(async (manager) => {
      await lockCustomer(manager, customerId);
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

  /** One message. @throws ServiceError not_found */
  async show(customerId: string, id: string): Promise<SmsMessage> {
    const message = await this.dataSource.manager.findOneBy(SmsMessage, { customerId, id });
    if (!message) throw new ServiceError('not_found', `The customer has no SMS ${id}`);
    return message;
  }

  /** One message, of whichever customer. @throws ServiceError not_found */
  async find(id: string): Promise<SmsMessage> {
    // The operator gives only the message's id, so this query names no customer.
    const message = await this.dataSource.manager.findOneBy(SmsMessage, { id });
    if (!message) throw new ServiceError('not_found', `There is no SMS ${id}`);
    return message;
  }

  /** A customer's messages, newest first. */
  log(filter: SmsLogFilter, listing: ListingRequest): Promise<Listing<SmsMessage>> {
    return this.messages.list(filter, listing);
  }

  /** A customer's settings; undefined if SMS was never configured. @throws ServiceError not_found */
  async settings(customerId: string): Promise<SmsSettings | undefined> {
    await requireCustomer(this.dataSource.manager, customerId);
    return (await this.dataSource.manager.findOneBy(SmsSettings, { customerId })) ?? undefined;
  }

  /** The messages of the last days of UTC of all customers, by day and status; days without one are left out. */
  byDay(days: number): Promise<{ day: string; status: SmsStatus; messages: number }[]> {
    return this.dataSource.query(
      `select day::text, status, count(*)::int as messages
       from (select (created_at at time zone 'UTC')::date as day, status from sms_message
             where id >= app.first_id(app.now() - make_interval(days => $1))
               and created_at at time zone 'UTC' >= (app.now() - make_interval(days => $1)) at time zone 'UTC') m
       group by m.day, status order by m.day, status`,
      [days],
    );
  }

  /** A page of the messages of one customer or of all, newest first; with the number of all. */
  inbox(filter: Partial<SmsLogFilter>, request: InboxRequest): Promise<InboxPage<SmsMessage>> {
    return this.messages.inbox(filter, request);
  }
}

/** A setting after a change; undefined leaves it unchanged. */
function changed<T>(change: T | null | undefined, present: T | null | undefined): T | null {
  return change === undefined ? (present ?? null) : change;
}
