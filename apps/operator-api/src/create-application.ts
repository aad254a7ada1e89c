import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { limitAddresses, RateLimitStorageService } from '@platform/access';
import type { AppConfig } from '@platform/config';
import { assertDatabaseFit, DatabaseClockService, exposeDatabaseMetrics } from '@platform/database';
import {
  configureApplication,
  createAdapter,
  observeRequests,
  onReplyClosed,
  requestMeter,
  type RequestWithBody,
} from '@platform/http';
import { NestLogger } from '@platform/logging';
import { Metrics } from '@platform/metrics';
import { requireOwnHost } from './access/browser';
import { RequestPlacesService } from './access/request-places.service';
import { OPERATOR_INTERFACE } from './interface';
import { AppModule } from './app.module';
import { protectPages, serveConsole } from './console-files';

/** Builds the operator API, ready to listen. `root` can embed it in a larger application. */
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
  const server = app.getHttpAdapter().getInstance();
  configureApplication(app, OPERATOR_INTERFACE);
  protectPages(server, config);
  server.addHook('onRequest', (request, _reply, done) => {
    // Health checks come from the engine, under whatever name it has for this container.
    if (!request.url.startsWith('/health/')) requireOwnHost(request, config);
    done();
  });
  const metrics = app.get(Metrics);
  observeRequests(server, requestMeter(metrics));
  limitAddresses(server, app.get(RateLimitStorageService), config.RATE_LIMIT_ADDRESS_PER_MINUTE);
  app.get(RequestPlacesService).addTo(server);
  server.addHook('onRequest', (request: Partial<RequestWithBody> & FastifyRequest, reply, done) => {
    // Also of a request that is refused behind its body: the guard of a route comes after the one that reads it.
    onReplyClosed(reply.raw, () => request.bodyLease?.release());
    done();
  });
  serveConsole(server);
  exposeDatabaseMetrics(metrics, app.get(DatabaseClockService));
  await assertDatabaseFit(app.get(DataSource), 'account_operator', config);
  await app.get(DatabaseClockService).compare();
  return app;
}
