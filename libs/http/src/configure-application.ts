import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppConfig } from '@app/config';
import { AccessLog } from '@app/logging';
import { Draining } from './draining';
import { addAccessLog } from './hooks/access-log';
import { addDrainingGate } from './hooks/draining-gate';
import { addReplyHeaders } from './hooks/reply-headers';
import { requireHost } from './hooks/require-host';
import { serveOpenApi } from './open-api/serve-open-api';

/** Paths below it are the customers' interface; health checks and documents are not. */
export const API_PREFIX = 'api/v1';

/** Puts the customers' interface below its prefix. */
export function setApiPrefix(app: NestFastifyApplication): void {
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health/live', 'health/ready'] });
}

/** Everything the HTTP application needs besides its modules: one function for the real process and for tests. */
export function configureApplication(app: NestFastifyApplication): NestFastifyApplication {
  const server = app.getHttpAdapter().getInstance();
  setApiPrefix(app);
  addReplyHeaders(server);
  if (AccessLog.isWanted(app.get(AppConfig))) addAccessLog(server, new AccessLog());
  addDrainingGate(server, app.get(Draining));
  requireHost(server);
  serveOpenApi(app, app.get(AppConfig));
  return app;
}
