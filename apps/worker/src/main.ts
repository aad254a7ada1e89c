import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '@platform/config';
import { NestLogger } from '@platform/logging';
import { runProcess } from '@platform/process';
import { startTracing } from '@platform/tracing';
import { WorkerModule } from './worker.module';

void runProcess(async () => {
  const config = loadConfig();
  const stopTracing = await startTracing(config, 'worker');
  const worker = await NestFactory.createApplicationContext(WorkerModule.with(config), {
    logger: new NestLogger(config),
    abortOnError: false,
  });
  return { close: () => worker.close().then(stopTracing) };
});
