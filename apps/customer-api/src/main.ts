import 'reflect-metadata';
import { loadConfig } from '@platform/config';
import { createLogger, NestLogger } from '@platform/logging';
import { runProcess } from '@platform/process';
import { createApplication } from './create-application';

/**
 * Length of the queue of connections that wait to be accepted, the same as the proxy's (docker-compose.yml). Node's
 * default is 511.
 */
const BACKLOG = 4096;

void runProcess(async () => {
  const config = loadConfig();
  const app = await createApplication(config);
  await app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG });
  app.useLogger(new NestLogger(createLogger(config)));
  return app;
});
