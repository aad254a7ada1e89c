import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppConfig } from '@app/config';
import { configureApplication, createAdapter } from '@app/http';
import { createLogger, NestLogger } from '@app/logging';
import { addAddressLimit, exposeMetrics } from './platform/instruments';
import { AppModule } from './app.module';
import { assertRowLevelSecurity } from './platform/row-level-security-check';

/** Builds the customer API, ready to listen; `root` can put it inside a larger application. */
export async function createApplication(
  config: AppConfig,
  root: DynamicModule = AppModule.with(config),
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(root, createAdapter(config), {
    bodyParser: false,
    logger: new NestLogger(createLogger(config)),
    abortOnError: false,
  });
  configureApplication(app);
  addAddressLimit(app);
  exposeMetrics(app);
  await assertRowLevelSecurity(app);
  return app;
}
