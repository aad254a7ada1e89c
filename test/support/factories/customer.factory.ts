import { faker } from '../faker';
import type { Client } from 'pg';
import type { Customer } from '@domains/customers';

const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2];

/** A Norwegian organisation number with a right check digit. */
export function fakeOrganizationNumber(): string {
  for (;;) {
    const digits = `9${faker.string.numeric(7)}`;
    const check = (11 - (WEIGHTS.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0) % 11)) % 11;
    if (check < 10) return `${digits}${check}`;
  }
}

export function createFakeCustomer(
  overrides: Partial<Customer> = {},
): Omit<Customer, 'createdAt' | 'updatedAt' | 'erasedAt'> {
  return {
    id: faker.string.uuid(),
    name: faker.company.name(),
    organizationNumber: fakeOrganizationNumber(),
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
