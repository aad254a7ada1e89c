import 'reflect-metadata';
import { loadConfig } from '@platform/config';
import { listen, ListeningSockets } from '@platform/http';
import { runProcess } from '@platform/process';
import { startTracing } from '@platform/tracing';
import { createApplication } from './create-application';

/** Time to release the resources of interrupted requests, and to close connections. */
const AFTER_GRACE_MS = 12_000;

void runProcess(async () => {
  const config = loadConfig();
  const stopTracing = await startTracing(config, 'operator-api');
  const app = await createApplication(config);
  await listen(app, { host: config.OPERATOR_HOST, port: config.OPERATOR_PORT }, app.get(ListeningSockets));
  return {
    close: () => app.close().then(stopTracing),
    stopWithinMs: config.SHUTDOWN_GRACE_MS + AFTER_GRACE_MS,
  };
});
