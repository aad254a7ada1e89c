import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Scope, SCOPES, TokensOperatorService } from '@platform/tokens';
import type { AppConfig } from '@platform/config';
import { CustomersOperatorService } from '@domains/customers';
import { DemoModule } from './demo.module';
import { seedCustomer } from './seed-customer';

/** The demo customer, and a token for it. */
export interface Demo {
  customerName: string;
  token: string;
}

const ACTOR = 'operator:demo';
const NUMBER = 'demo';
const TOKEN_DAYS = 7;

/** Creates the demo customer if there is none, and a new token for it at each start. */
export async function seedDemo(config: AppConfig): Promise<Demo> {
  const app = await NestFactory.createApplicationContext(DemoModule.with(config), {
    logger: false,
    abortOnError: false,
  });
  try {
    const { id, name } = await demoCustomer(app);
    const { token } = await app.get(TokensOperatorService).issue(ACTOR, {
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
  const customers = app.get(CustomersOperatorService);
  const known = (await customers.list({ search: NUMBER }, { limit: 500 })).rows.find(
    ({ customerNumber }) => customerNumber === NUMBER,
  );
  if (known) return known;
  const customer = await customers.create(ACTOR, {
    name: 'Fjordlys AS (demo)',
    organizationNumber: '123456785',
    email: 'it@fjordlys.example',
    customerNumber: NUMBER,
  });
  await seedCustomer(app, ACTOR, customer.id);
  return customer;
}
