import { type INestApplicationContext, Logger, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CustomersOperatorModule } from '@domains/customers';
import { type AppConfig, ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { NestLogger } from '@platform/logging';

/** The modules of one command. */
@Module({})
class CommandModule {}

/** Opens the modules that a command needs, and the database. */
export async function openApplication(config: AppConfig, modules: readonly Type[]): Promise<INestApplicationContext> {
  const imports = [
    ConfigModule.for(config),
    DatabaseModule.as('account_operator'),
    ...new Set([CustomersOperatorModule, ...modules]),
  ];
  // Nest would log why it could not start, which the command says itself.
  const options = { logger: false, abortOnError: false } as const;
  const application = await NestFactory.createApplicationContext({ module: CommandModule, imports }, options);
  // Standard output is reserved for results, so logs go to standard error.
  Logger.overrideLogger(new NestLogger(config, process.stderr));
  return application;
}
