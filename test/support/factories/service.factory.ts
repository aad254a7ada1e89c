import { faker } from '../faker';
import type { Client } from 'pg';
import type { CustomerServiceEntity } from '@domains/services';

export async function saveFakeService(
  client: Client,
  customerId: string,
  overrides: Partial<CustomerServiceEntity> = {},
) {
  const service = { type: 'hosting', name: faker.commerce.productName(), status: 'active', config: {}, ...overrides };
  const { rows } = await client.query<{ id: number }>(
    `insert into customer_service (customer_id, type, name, status, config, created_at)
     values ($1, $2, $3, $4, $5, coalesce($6, now())) returning id`,
    [customerId, service.type, service.name, service.status, service.config, overrides.createdAt ?? null],
  );
  return { ...service, id: rows[0]?.id ?? 0, customerId };
}
