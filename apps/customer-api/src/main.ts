import 'reflect-metadata';
import { loadConfig } from '@platform/config';
import { listen, ListeningSockets } from '@platform/http';
import { NestLogger, ROOT_LOGGER, type RootLogger } from '@platform/logging';
import { runProcess } from '@platform/process';
import { createApplication } from './create-application';

void runProcess(async () => {
  const config = loadConfig();
  const app = await createApplication(config);
  await listen(app, { host: config.HOST, port: config.PORT }, app.get(ListeningSockets));
  app.useLogger(new NestLogger(app.get<RootLogger>(ROOT_LOGGER)));
  return app;
});
