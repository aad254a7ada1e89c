import type { DocumentBuilder } from '@nestjs/swagger';
import type { AppConfig } from '@platform/config';
import type { ErrorCatalogEntry } from '@platform/errors';
import type { ProblemDialect } from '../problem';
import type { Document } from './document';
import type { WebhookDescriptions } from './webhooks';

/** What an application says of its interface, beside its routes. */
export interface InterfaceParts {
  title: string;
  description: string;
  /** Version of the interface. */
  version: string;
  /** Prefix of all addresses, without slashes around it. */
  prefix: string;
  /** The address that callers reach it under, if one is set. */
  address(config: AppConfig): string | undefined;
  /** Descriptions of the tags, in the order in which they are shown. */
  tags: Readonly<Record<string, string>>;
  /** All codes that its errors can have. */
  errors: Readonly<Record<string, ErrorCatalogEntry>>;
  /** The form of errors at some addresses. */
  dialect?: ProblemDialect;
  /** What is sent to addresses of callers. */
  webhooks?: WebhookDescriptions;
  /** Adds how callers show who they are. */
  secure(builder: DocumentBuilder): DocumentBuilder;
  /** Adds to every operation what a caller needs for it. */
  describeAccess(document: Document): void;
}
