import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '@platform/config';
import { NestLogger } from '@platform/logging';
import { runProcess } from '@platform/process';
import { WorkerModule } from './worker.module';

void runProcess(() => {
  const config = loadConfig();
  return NestFactory.createApplicationContext(WorkerModule.with(config), {
    logger: new NestLogger(config),
    abortOnError: false,
  });
});
