import { Test, type TestingModule } from '@nestjs/testing';
import { TokensOperatorService, TokensOperatorModule } from '@platform/tokens';
import { ConfigModule } from '@platform/config';
import { CustomersOperatorService, CustomersOperatorModule } from '@domains/customers';
import { DatabaseModule } from '@platform/database';
import { NestLogger } from '@platform/logging';
import type { TestDatabase } from './test-database';

/** The operator's services for customers and tokens, in modules separate from the API's. */
export interface OperatorFixture {
  tokens: TokensOperatorService;
  customers: CustomersOperatorService;
  close(): Promise<void>;
}

export async function createOperatorFixture(database: TestDatabase): Promise<OperatorFixture> {
  const module: TestingModule = await Test.createTestingModule({
    imports: [
      ConfigModule.for(database.config),
      DatabaseModule.as('account_operator'),
      TokensOperatorModule,
      CustomersOperatorModule,
    ],
  })
    .setLogger(new NestLogger(database.config))
    .compile();
  return {
    tokens: module.get(TokensOperatorService),
    customers: module.get(CustomersOperatorService),
    close: () => module.close(),
  };
}
