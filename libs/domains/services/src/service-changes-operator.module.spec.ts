import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { useTestDatabase } from '@test/use-test-database';
import { ServiceChangesOperatorModule, ServicesOperatorModule } from './index';

const database = useTestDatabase();

@Module({})
class ModuleWithoutPort {}

describe('A program without the included credit of AI', () => {
  const start = async (module: Type | DynamicModule) => {
    const imports = [ConfigModule.for(database.config), DatabaseModule.as('account_operator'), module];
    const program = await Test.createTestingModule({ imports }).compile();
    await program.close();
  };

  it('cannot start if it changes services', async () => {
    await expect(start(ServiceChangesOperatorModule.with(ModuleWithoutPort))).rejects.toThrow('IncludedCreditPort');
  });

  it('reads services', async () => {
    await expect(start(ServicesOperatorModule)).resolves.toBeUndefined();
  });
});
