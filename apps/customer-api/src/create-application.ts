import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppConfig } from '@app/config';
import { configureApplication, createAdapter } from '@app/http';
import { createLogger, NestLogger } from '@app/logging';
import { addAddressLimit, exposeMetrics } from './platform/instruments';
import { AppModule } from './app.module';
import { assertRowLevelSecurity } from './platform/row-level-security-check';

/** Builds the customer API, ready to listen. */
export async function createApplication(config: AppConfig): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config), createAdapter(config), {
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
