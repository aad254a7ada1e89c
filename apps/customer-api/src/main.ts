import 'reflect-metadata';
import { loadConfig } from '@platform/config';
import { listen } from '@platform/http';
import { createLogger, NestLogger } from '@platform/logging';
import { runProcess } from '@platform/process';
import { createApplication } from './create-application';

void runProcess(async () => {
  const config = loadConfig();
  const app = await createApplication(config);
  await listen(app, { host: config.HOST, port: config.PORT });
  app.useLogger(new NestLogger(createLogger(config)));
  return app;
});
