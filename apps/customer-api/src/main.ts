import 'reflect-metadata';
import { loadConfig } from '@app/config';
import { runProcess } from '@app/process';
import { createApplication } from './create-application';

void runProcess(async () => {
  const config = loadConfig();
  const app = await createApplication(config);
  await app.listen({ host: config.HOST, port: config.PORT });
  return app;
});
