import { type DynamicModule, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { customerByToken, limitAddresses, RateLimitStorageService } from '@platform/access';
import type { AppConfig } from '@platform/config';
import {
  assertDatabaseFit,
  CustomerDatabaseService,
  DatabaseClockService,
  UnfitDatabaseError,
} from '@platform/database';
import { TimeShares } from '@platform/fairness';
import { configureApplication, createAdapter, LoadShedder, observeRequests, setAddressHints } from '@platform/http';
import { NestLogger } from '@platform/logging';
import { Metrics } from '@platform/metrics';
import { RefusalRecorderService } from '@platform/refusals';
import { TokenAuthenticatorService } from '@platform/tokens';
import { SDK_ADDRESSES } from './ai/sdk-dialect';
import { AppModule } from './app.module';
import { exposeState } from './api-metrics';
import { requestRecorder } from './ended-requests';
import { CUSTOMER_INTERFACE } from './interface';

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
  configureApplication(app, CUSTOMER_INTERFACE);
  const server = app.getHttpAdapter().getInstance();
  setAddressHints(server, SDK_ADDRESSES);
  // Before the hooks that refuse requests: those count too.
  observeRequests(server, requestRecorder(app.get(Metrics), app.get(RefusalRecorderService)));
  limitAddresses(server, app.get(RateLimitStorageService), config.RATE_LIMIT_ADDRESS_PER_MINUTE);
  const tokens = app.get(TokenAuthenticatorService);
  const shedder = new LoadShedder(app.get(TimeShares), {
    database: app.get(CustomerDatabaseService),
    callerOf: (request) => customerByToken(request, tokens),
  });
  shedder.addTo(server);
  exposeState(app, shedder);
  await assertIsolation(app, config);
  await app.get(DatabaseClockService).compare();
  return app;
}

/**
 * @throws NotMigratedError if there is no schema
 * @throws UnfitDatabaseError if the API's database role, or in production its login, can bypass row level security: one
 * isolation layer would be missing; or if the database is of another billing time zone
 */
async function assertIsolation(app: NestFastifyApplication, config: AppConfig): Promise<void> {
  for (const excess of await assertDatabaseFit(app.get(DataSource), 'customer_api', config)) {
    if (config.NODE_ENV === 'production') throw new UnfitDatabaseError(excess);
    new Logger('Isolation').warn(excess);
  }
}
