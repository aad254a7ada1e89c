import { faker } from '../faker';
import type { Client } from 'pg';
import type { Customer } from '@domains/customers';

export function createFakeCustomer(
  overrides: Partial<Customer> = {},
): Omit<Customer, 'createdAt' | 'updatedAt' | 'erasedAt'> {
  return {
    id: faker.string.uuid(),
    name: faker.company.name(),
    organizationNumber: '123456785',
    customerNumber: faker.string.numeric(12),
    email: faker.internet.email(),
    active: true,
    requestsPerMinute: null,
    aiPerMinute: null,
    smsPerMinute: null,
    pendingCreditRequests: null,
    ...overrides,
  };
}

export async function saveFakeCustomer(client: Client, overrides: Partial<Customer> = {}) {
  const customer = createFakeCustomer(overrides);
  await client.query(
    `insert into customer (id, name, organization_number, customer_number, email, active, requests_per_minute,
       ai_per_minute, sms_per_minute, pending_credit_requests) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      customer.id,
      customer.name,
      customer.organizationNumber,
      customer.customerNumber,
      customer.email,
      customer.active,
      customer.requestsPerMinute,
      customer.aiPerMinute,
      customer.smsPerMinute,
      customer.pendingCreditRequests,
    ],
  );
  return customer;
}
