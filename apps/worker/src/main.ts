import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from '@app/config';
import { createLogger, NestLogger } from '@app/logging';
import { runProcess } from '@app/process';
import { WorkerModule } from './worker.module';

void runProcess(() => {
  const config = loadConfig();
  return NestFactory.createApplicationContext(WorkerModule.with(config), {
    logger: new NestLogger(createLogger(config)),
    abortOnError: false,
  });
});
