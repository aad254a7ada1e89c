import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppConfig } from '@platform/config';
import { AccessLog } from '@platform/logging';
import { API_PREFIX } from './routing/api-prefix';
import { Draining } from './draining';
import { compressReplies } from './compression/compress-replies';
import { serveErrorPage } from './problems/page/serve-error-page';
import { logRequests } from './hooks/access-log';
import { addDocumentHeaders } from './hooks/document-headers';
import { closeWhileDraining } from './hooks/close-while-draining';
import { observeRequests } from './hooks/observe-requests';
import { addReplyHeaders } from './hooks/reply-headers';
import { requireHost } from './hooks/require-host';
import { traceRequests } from './hooks/trace-requests';
import type { ScopeDescriptions } from './open-api/describe-scopes';
import { serveOpenApi } from './open-api/serve-open-api';

/** Sets the prefix of the customers' API. */
export function setApiPrefix(app: NestFastifyApplication): void {
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health/live', 'health/ready'] });
}

/**
 * Configures the HTTP application apart from its modules: one function for the real process and for tests. @param
 * scopes all scopes with their descriptions, for the OpenAPI document
 */
export function configureApplication(app: NestFastifyApplication, scopes: ScopeDescriptions): NestFastifyApplication {
  const server = app.getHttpAdapter().getInstance();
  const config = app.get(AppConfig);
  setApiPrefix(app);
  traceRequests(server);
  if (AccessLog.isWanted(config)) observeRequests(server, logRequests(new AccessLog()));
  addReplyHeaders(server);
  addDocumentHeaders(server, config.PUBLIC_URL && new URL(config.PUBLIC_URL).origin);
  closeWhileDraining(server, app.get(Draining));
  requireHost(server);
  compressReplies(server);
  serveErrorPage(server);
  serveOpenApi(app, config, scopes);
  return app;
}
