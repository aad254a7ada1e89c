import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type AppConfig, loadConfig } from '@platform/config';
import { createAdapter, setApiPrefix } from '../server';
import { createDocument } from './create-document';
import type { InterfaceParts } from './interface-parts';

/**
 * A program that writes the OpenAPI document of an application to the file that the command line names. With `--check`, it
 * fails if the file differs. It opens no connection and constructs no service: the document follows from the routes' decorators
 * alone.
 */
export async function writeDocument(
  applicationWith: (config: AppConfig) => DynamicModule,
  parts: InterfaceParts,
): Promise<void> {
  const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
  const [file = 'openapi.json'] = positionals;
  try {
    const document = await generate(applicationWith, parts);
    if (!values.check) {
      writeFileSync(file, document);
    } else if (!existsSync(file) || readFileSync(file, 'utf8') !== document) {
      throw new Error(`${file} is out of date: run npm run openapi, check the difference and commit it`);
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function generate(applicationWith: (config: AppConfig) => DynamicModule, parts: InterfaceParts): Promise<string> {
  const config = loadConfig({});
  const app = await NestFactory.create<NestFastifyApplication>(applicationWith(config), createAdapter(config), {
    preview: true,
    abortOnError: false,
    logger: ['error'],
  });
  setApiPrefix(app, parts.prefix);
  return `${JSON.stringify(createDocument(app, config, parts), null, 2)}\n`;
}
