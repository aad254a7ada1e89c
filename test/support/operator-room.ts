import { Test, type TestingModule } from '@nestjs/testing';
import { ServiceTokens, ServiceTokensModule } from '@app/access';
import { ConfigModule } from '@app/config';
import { Customers, CustomersModule } from '@app/customers';
import { DatabaseModule } from '@app/database';
import { createLogger, LoggingModule, NestLogger } from '@app/logging';
import type { TestDatabase } from './test-database';

/** What the operator's programs do to customers and tokens, as they do it: another process to the API. */
export interface OperatorRoom {
  tokens: ServiceTokens;
  customers: Customers;
  close(): Promise<void>;
}

/** Opens the operator's services on a database. */
export async function openOperatorRoom(database: TestDatabase): Promise<OperatorRoom> {
  const module: TestingModule = await Test.createTestingModule({
    imports: [
      ConfigModule.for(database.config),
      DatabaseModule.as('account_operator'),
      LoggingModule.forRoot(),
      ServiceTokensModule,
      CustomersModule,
    ],
  })
    .setLogger(new NestLogger(createLogger(database.config)))
    .compile();
  return { tokens: module.get(ServiceTokens), customers: module.get(Customers), close: () => module.close() };
}
