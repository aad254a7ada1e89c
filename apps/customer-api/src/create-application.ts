import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SCOPES } from '@platform/tokens';
import type { AppConfig } from '@platform/config';
import { DatabaseClockService } from '@platform/database';
import { addProblemDialect, configureApplication, createAdapter } from '@platform/http';
import { asProviderProblem } from './ai/answer/provider-error';
import { NestLogger } from '@platform/logging';
import { addAddressLimit } from './pipeline/address-limit';
import { exposeMetrics } from './pipeline/metrics';
import { shedOverload } from './pipeline/overload';
import { AppModule } from './app.module';
import { assertIsolation } from './pipeline/isolation-check';

/** Builds the customer API, ready to listen. `root` can embed it in a larger application. */
export async function createApplication(
  config: AppConfig,
  root: DynamicModule = AppModule.with(config),
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(root, createAdapter(config), {
    bodyParser: false,
    // The program that calls this logs a failure to start, once.
    logger: false,
    abortOnError: false,
  });
  app.useLogger(new NestLogger(config));
  configureApplication(app, SCOPES);
  addProblemDialect(app.getHttpAdapter().getInstance(), '/api/v1/ai/v1', asProviderProblem);
  addAddressLimit(app);
  shedOverload(app, config);
  exposeMetrics(app);
  await assertIsolation(app, config);
  await app.get(DatabaseClockService).compare();
  return app;
}
