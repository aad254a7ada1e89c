import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { AppConfig } from '@platform/config';
import { createDocument } from './create-document';
import type { ScopeDescriptions } from './describe-scopes';

/** Serves Swagger UI under /docs and the OpenAPI document as /docs/openapi.json. */
export function serveOpenApi(app: NestFastifyApplication, config: AppConfig, scopes: ScopeDescriptions): void {
  SwaggerModule.setup('docs', app, () => createDocument(app, config, scopes), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'Customer API',
    // A token is not stored in the browser: it is gone when the page is closed.
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
