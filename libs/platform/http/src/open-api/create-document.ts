import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { AppConfig } from '@platform/config';
import { ERROR_PAGE } from '@platform/errors';
import { API_PREFIX } from '../routing/api-prefix';
import { addBounds } from './bounds';
import { completeReplies } from './complete-replies';
import { describeIdempotency } from './describe-idempotency';
import { describeScopes, scopeTable, type ScopeDescriptions } from './describe-scopes';
import { describeService } from './describe-service';
import type { Document } from './document';
import { addExamples } from './examples';
import { asOpenApi31 } from './open-api-31';

/**
 * Creates the OpenAPI 3.1 document: the declarations of the routes, and what applies to all of them. @param scopes all
 * scopes with their descriptions
 */
export function createDocument(
  app: INestApplication,
  { PUBLIC_URL }: Pick<AppConfig, 'PUBLIC_URL'>,
  scopes: ScopeDescriptions,
): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Customer API')
    .setVersion('1.0.0')
    .setDescription(
      'Read and act on your own account: services, AI credit and AI messages, invoices, support tickets, SMS and status. ' +
        'The customer is known by the bearer token alone. Every error is a problem document (RFC 9457); ' +
        `[${ERROR_PAGE}](${ERROR_PAGE}) lists every code and what to do about it.\n\n` +
        `A token has scopes; each operation says which one it needs:\n\n${scopeTable(scopes)}`,
    )
    // Without an address of its own the server is the one that the document came from, whatever its name.
    .addServer(
      `${PUBLIC_URL ?? ''}/${API_PREFIX}`,
      PUBLIC_URL ? 'Production' : 'Where this document comes from: local, staging or production',
    )
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'cas_live_…',
        description: `A service token from the operator: \`cas_live_\` and 49 letters and digits. What it may do depends on its scopes:\n\n${scopeTable(scopes)}`,
      },
      'token',
    )
    .build();
  const generated = SwaggerModule.createDocument(app, settings, {
    operationIdFactory: (_controller, method) => method,
    // Paths are relative to the server's address, which ends in the prefix.
    ignoreGlobalPrefix: true,
  });
  const document = asOpenApi31(generated) as unknown as Document;
  describeService(document);
  describeScopes(document);
  describeIdempotency(document);
  completeReplies(document);
  addBounds(document);
  addExamples(document);
  return document as unknown as OpenAPIObject;
}
