import 'reflect-metadata';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SCOPES } from '@platform/tokens';
import { loadConfig } from '@platform/config';
import { createAdapter, createDocument, setApiPrefix } from '@platform/http';
import { SDK_DIALECT } from './ai/sdk-dialect';
import { AppModule } from './app.module';
import { WEBHOOKS } from './events/webhook-descriptions';

/**
 * Writes the OpenAPI document to the file that the command line names. With `--check`, fails if the file differs. It
 * opens no connection and constructs no service: the document follows from the routes' decorators alone.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
  const [file = 'openapi.json'] = positionals;
  const document = await generate();
  if (!values.check) {
    writeFileSync(file, document);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== document) {
    throw new Error(`${file} is out of date: run npm run openapi, check the difference and commit it`);
  }
}

async function generate(): Promise<string> {
  const config = loadConfig({});
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(config), createAdapter(config), {
    preview: true,
    abortOnError: false,
    logger: ['error'],
  });
  setApiPrefix(app);
  return `${JSON.stringify(createDocument(app, config, { scopes: SCOPES, dialect: SDK_DIALECT, webhooks: WEBHOOKS }), null, 2)}\n`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
