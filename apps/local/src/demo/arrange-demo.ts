import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Scope, SCOPES, ServiceTokens } from '@app/access';
import type { AppConfig } from '@app/config';
import { Customers } from '@app/customers';
import { DemoModule } from './demo.module';
import { furnish } from './furnish';

/** The demo customer, and a token for it. */
export interface Demo {
  customerName: string;
  token: string;
}

const ACTOR = 'operator:demo';
const NUMBER = 'demo';
const TOKEN_DAYS = 7;

/** Makes the demo customer with one of everything, once, and a new token for it, each time. */
export async function arrangeDemo(config: AppConfig): Promise<Demo> {
  const app = await NestFactory.createApplicationContext(DemoModule.with(config), {
    logger: false,
    abortOnError: false,
  });
  try {
    const { id, name } = await demoCustomer(app);
    const { token } = await app.get(ServiceTokens).issue(ACTOR, {
      customerId: id,
      scopes: Object.keys(SCOPES) as Scope[],
      expiresAt: new Date(Date.now() + TOKEN_DAYS * 86_400_000),
    });
    return { customerName: name, token };
  } finally {
    await app.close();
  }
}

async function demoCustomer(app: INestApplicationContext) {
  const customers = app.get(Customers);
  const known = (await customers.list()).find(({ customerNumber }) => customerNumber === NUMBER);
  if (known) return known;
  const customer = await customers.create(ACTOR, {
    name: 'Fjordlys AS (demo)',
    organizationNumber: '123456785',
    email: 'it@fjordlys.example',
    customerNumber: NUMBER,
  });
  await furnish(app, ACTOR, customer.id);
  return customer;
}
