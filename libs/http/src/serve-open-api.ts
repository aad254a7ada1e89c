import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AppConfig } from '@app/config';
import { asOpenApi31 } from './open-api-31';

/** Serves Swagger UI under /docs and the OpenAPI document as /docs/openapi.json. */
export function serveOpenApi(app: NestFastifyApplication, config: AppConfig): void {
  SwaggerModule.setup('docs', app, () => createDocument(app, config), {
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    customSiteTitle: 'Customer API',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}

/** The OpenAPI 3.1 document of the application's routes. */
export function createDocument(
  app: NestFastifyApplication,
  config: Pick<AppConfig, 'PUBLIC_URL' | 'PORT'>,
): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Customer API')
    .setVersion('1.0.0')
    .setDescription(
      'Read and act on your own account: services, AI credit and AI messages, invoices, support tickets, SMS and status. ' +
        'The customer is known by the bearer token alone. Every error is a problem document (RFC 9457).',
    )
    .setContact('The operator of this service', '', '')
    .setLicense('Proprietary', 'https://example.com/terms')
    .addServer(config.PUBLIC_URL ?? `http://localhost:${config.PORT}`)
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'cas_live_…', description: 'A service token.' },
      'token',
    )
    .build();
  return asOpenApi31(
    SwaggerModule.createDocument(app, settings, {
      operationIdFactory: (_controller, method) => method,
    }),
  );
}
