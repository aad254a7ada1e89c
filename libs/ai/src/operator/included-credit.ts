import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ServiceError } from '@app/errors';

/** The credit that each month includes: it is part of the customer's `ai` service, where the customer can read it. */
@Injectable()
export class IncludedCredit {
  /** In NOK, as decimal text. */
  async of(manager: EntityManager, customerId: string): Promise<string> {
    const [row] = await manager.query<{ credit: string }[]>('select app.ai_included_credit($1)::text as credit', [
      customerId,
    ]);
    return row?.credit ?? '0';
  }

  /** Sets it, adding the service if there is none. @throws ServiceError invalid_request if several services share it */
  async set(manager: EntityManager, customerId: string, nok: string): Promise<void> {
    const services = await manager.query<{ id: number }[]>(
      `select id from customer_service where customer_id = $1 and type = 'ai' and status = 'active'`,
      [customerId],
    );
    if (services.length > 1) {
      throw new ServiceError(
        'invalid_request',
        'The customer has several ai services; set monthly_included_nok with: service update',
      );
    }
    if (services[0]) {
      await manager.query(
        `update customer_service set config = config || jsonb_build_object('monthly_included_nok', $3::numeric), updated_at = now()
         where customer_id = $1 and id = $2`,
        [customerId, services[0].id, nok],
      );
    } else {
      await manager.query(
        `insert into customer_service (customer_id, type, name, config)
         values ($1, 'ai', 'AI', jsonb_build_object('monthly_included_nok', $2::numeric))`,
        [customerId, nok],
      );
    }
  }
}
