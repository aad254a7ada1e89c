import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CustomerDatabase } from '@app/database';
import type { SmsErrorCode } from '../gateway/sms-gateway';
import { SMS_COLUMNS, type SmsRow } from '../sms-view';
import { SMS_STATUSES, type SmsEncoding, type SmsStatus } from '../sms-record';

/** What the operator allows a customer. */
export interface SmsPermission {
  senderId: string;
  /** Null: the service's default. */
  dailyCap: number | null;
}

/** A message before anybody was asked to send it. */
export interface NewSms {
  id: string;
  to: string;
  senderId: string;
  message: string;
  encoding: SmsEncoding;
  segments: number;
  gateway: string;
  createdAt: Date;
}

/** News about a message, from the reply to its send or from a delivery report. */
export interface SmsNews {
  status: SmsStatus;
  gatewayMessageId: string | null;
  errorCode: SmsErrorCode | null;
  deliveredAt: Date | null;
  at: Date;
}

/** The rows behind sending, always of the customer in context. */
@Injectable()
export class SmsStore {
  constructor(readonly database: CustomerDatabase) {}

  /** What the customer may do; nothing if SMS is not enabled for it. */
  async permission(manager: EntityManager, customerId: string): Promise<SmsPermission | undefined> {
    const rows = await manager.query<{ sender_id: string; daily_cap: number | null }[]>(
      'select sender_id, daily_cap from sms_settings where customer_id = $1 and enabled',
      [customerId],
    );
    return rows[0] && { senderId: rows[0].sender_id, dailyCap: rows[0].daily_cap };
  }

  /**
   * Counts a message on a day, unless that would be one too many. The count's row stays locked until the transaction
   * ends, so any number of calls at once cannot go past the cap.
   * @returns whether there was room.
   */
  async count(manager: EntityManager, customerId: string, day: string, cap: number): Promise<boolean> {
    if (cap === 0) return false;
    const counted = await manager.query<unknown[]>(
      `insert into sms_daily_count as c (customer_id, day, messages) values ($1, $2, 1)
       on conflict (customer_id, day) do update set messages = c.messages + 1 where c.messages < $3 returning messages`,
      [customerId, day, cap],
    );
    return counted.length === 1;
  }

  /** Takes a message off the count that certainly was not sent. */
  async uncount(manager: EntityManager, customerId: string, day: string): Promise<void> {
    await manager.query('update sms_daily_count set messages = messages - 1 where customer_id = $1 and day = $2', [
      customerId,
      day,
    ]);
  }

  /** Writes the message down with its outcome unknown: what it is, should the process end now. */
  async add(manager: EntityManager, customerId: string, sms: NewSms): Promise<SmsRow> {
    const [row] = await manager.query<[SmsRow]>(
      `insert into sms_message
         (customer_id, id, recipient, sender_id, message, encoding, segments, gateway, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) returning ${SMS_COLUMNS}`,
      [customerId, sms.id, sms.to, sms.senderId, sms.message, sms.encoding, sms.segments, sms.gateway, sms.createdAt],
    );
    return row;
  }

  /**
   * Adds news to what is known of a message. News that says less than what is known changes nothing, so the order in
   * which they come, and how often, makes no difference.
   * @returns the message, or nothing if the customer has none with this id from this gateway.
   */
  async update(
    manager: EntityManager,
    customerId: string,
    { id, gateway }: { id: string; gateway: string },
    news: SmsNews,
  ): Promise<SmsRow | undefined> {
    const overruled = SMS_STATUSES.slice(0, SMS_STATUSES.indexOf(news.status));
    // Between two unknown outcomes the first reason stays; where none is known yet, it is told.
    const [rows] = await manager.query<[SmsRow[], number]>(
      `update sms_message set
         status = case when status = any($4) then $5 else status end,
         error_code = case when status = any($4) or (status = $5 and error_code is null) then $6 else error_code end,
         delivered_at = case when status = any($4) then $7 else delivered_at end,
         gateway_message_id = coalesce(gateway_message_id, $8),
         updated_at = case when status = any($4) then $9 else updated_at end
       where customer_id = $1 and id = $2 and gateway = $3 returning ${SMS_COLUMNS}`,
      [
        customerId,
        id,
        gateway,
        overruled,
        news.status,
        news.errorCode,
        news.deliveredAt,
        news.gatewayMessageId,
        news.at,
      ],
    );
    return rows[0];
  }
}
