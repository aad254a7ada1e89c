import { Test, type TestingModule } from '@nestjs/testing';
import { TokensOperatorService, TokensOperatorModule } from '@platform/tokens';
import { ConfigModule } from '@platform/config';
import { CustomersOperatorService, CustomersOperatorModule } from '@domains/customers';
import { DatabaseModule } from '@platform/database';
import { createLogger, LoggingModule, NestLogger } from '@platform/logging';
import type { TestDatabase } from './test-database';

/** What the operator's programs do to customers and tokens, as they do it: another process to the API. */
export interface OperatorFixture {
  tokens: TokensOperatorService;
  customers: CustomersOperatorService;
  close(): Promise<void>;
}

/** Opens the operator's services on a database. */
export async function createOperatorFixture(database: TestDatabase): Promise<OperatorFixture> {
  const module: TestingModule = await Test.createTestingModule({
    imports: [
      ConfigModule.for(database.config),
      DatabaseModule.as('account_operator'),
      LoggingModule.forRoot(),
      TokensOperatorModule,
      CustomersOperatorModule,
    ],
  })
    .setLogger(new NestLogger(createLogger(database.config)))
    .compile();
  return {
    tokens: module.get(TokensOperatorService),
    customers: module.get(CustomersOperatorService),
    close: () => module.close(),
  };
}
