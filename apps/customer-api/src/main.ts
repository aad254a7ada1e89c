import 'reflect-metadata';
import { loadConfig } from '@app/config';
import { createLogger, NestLogger } from '@app/logging';
import { runProcess } from '@app/process';
import { createApplication } from './create-application';

void runProcess(async () => {
  const config = loadConfig();
  const app = await createApplication(config);
  await app.listen({ host: config.HOST, port: config.PORT });
  app.useLogger(new NestLogger(createLogger(config)));
  return app;
});
