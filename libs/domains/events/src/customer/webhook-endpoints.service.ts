import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { CustomerContextService } from '@platform/context';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  EntityWritesService,
  type KeysetList,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import type { Scope } from '@platform/tokens';
import { addressInUse } from '@platform/upstream';
import { WebhookEndpoint } from '../entities/webhook-endpoint.entity';
import type { CustomerEventType } from '../event-types';
import { SECRET_OVERLAP, WebhookSecretsService } from '../webhook-secrets/webhook-secrets.service';

/** Properties of an endpoint that the customer sees. */
const ENDPOINT = [
  'id',
  'url',
  'eventTypes',
  'description',
  'failingSince',
  'disabledReason',
  'disabledAt',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof WebhookEndpoint)[];

/** The fields of an endpoint that the customer sees. */
export type WebhookEndpointRow = ReadRow<WebhookEndpoint, (typeof ENDPOINT)[number]>;

/** The token of a change. */
export interface ChangingToken {
  tokenId: string;
  scopes: ReadonlySet<Scope>;
}

/** A new endpoint. */
export interface NewEndpoint {
  url: string;
  /** None for all types. */
  eventTypes?: readonly CustomerEventType[] | null;
  description?: string | null;
}

/** A change of an endpoint; undefined fields stay unchanged. */
export type EndpointChange = Partial<NewEndpoint> & { enabled?: boolean };

/** The customer's own endpoints. Every change is audited. */
@Injectable()
export class WebhookEndpointsService {
  private readonly byId: ReadStatement<WebhookEndpointRow>;
  private readonly endpoints: KeysetList<WebhookEndpointRow>;
  private readonly createEndpoint;
  private readonly changeEndpoint;
  private readonly deleteEndpoint;
  private readonly rotate;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly context: CustomerContextService,
    private readonly config: AppConfig,
    private readonly secrets: WebhookSecretsService,
    reads: EntityReadsService,
    writes: EntityWritesService,
  ) {
    this.byId = reads.find(WebhookEndpoint, { name: 'webhooks.find', select: ENDPOINT, by: ['customerId', 'id'] });
    this.endpoints = reads.list(WebhookEndpoint, { name: 'webhooks.endpoints', select: ENDPOINT });
    this.createEndpoint = writes.call({
      name: 'webhooks.create',
      calls: 'app.create_webhook_endpoint',
      parameters: {
        id: 'uuid',
        url: 'text',
        eventTypes: 'text[]',
        description: 'text',
        scopes: 'text[]',
        secretCiphertext: 'bytea',
        most: 'integer',
        actor: 'text',
      },
      returns: { outcome: decoders.text as (text: string) => 'created' | 'too_many' },
      row: { entity: WebhookEndpoint, column: 'endpoint', select: ENDPOINT },
    });
    this.changeEndpoint = writes.call({
      name: 'webhooks.change',
      calls: 'app.change_webhook_endpoint',
      parameters: {
        id: 'uuid',
        url: 'text',
        eventTypes: 'text[]',
        description: 'text',
        scopes: 'text[]',
        enabled: 'text',
        reason: 'text',
        actor: 'text',
      },
      returns: { outcome: decoders.text as (text: string) => 'changed' | 'unknown' | 'held' },
      row: { entity: WebhookEndpoint, column: 'endpoint', select: ENDPOINT },
    });
    this.deleteEndpoint = writes.call({
      name: 'webhooks.delete',
      calls: 'app.delete_webhook_endpoint',
      parameters: { id: 'uuid', actor: 'text' },
      returns: { result: decoders.boolean },
    });
    this.rotate = writes.call({
      name: 'webhooks.rotate-secret',
      calls: 'app.rotate_webhook_secret',
      parameters: { id: 'uuid', secretCiphertext: 'bytea', overlap: 'interval', actor: 'text' },
      row: { entity: WebhookEndpoint, select: ENDPOINT },
    });
  }

  /** A page of the customer's endpoints, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest): Promise<Page<WebhookEndpointRow>> {
    return this.database.page(this.endpoints, page);
  }

  /** One of the customer's endpoints. @throws ServiceError not_found */
  async find(id: string): Promise<WebhookEndpointRow> {
    const [endpoint] = await this.database.read(this.byId, [id]);
    return endpoint ?? noSuchEndpoint();
  }

  /**
   * Adds an endpoint, which keeps the scopes of the token. @returns it with its secret, which is not shown again
   * @throws ServiceError invalid_request for an address that nothing is sent to; too_many_webhook_endpoints
   */
  async create(
    { tokenId, scopes }: ChangingToken,
    { url, eventTypes, description }: NewEndpoint,
  ): Promise<WebhookEndpointRow & { secret: string }> {
    const address = this.checked(url);
    const most = this.config.WEBHOOK_ENDPOINTS;
    const id = randomUUID();
    const { secret, ciphertext } = this.secrets.generate({ customerId: this.context.customerId, id });
    const [[result]] = await this.database.write([
      this.createEndpoint({
        id,
        url: address,
        eventTypes: distinct(eventTypes),
        description: description || null,
        scopes: [...scopes],
        secretCiphertext: ciphertext,
        most,
        actor: `token:${tokenId}`,
      }),
    ]);
    if (result?.outcome !== 'created')
      throw new ServiceError('too_many_webhook_endpoints', `You have ${most} webhook endpoints already`);
    const { outcome: _, ...endpoint } = result;
    return { ...endpoint, secret };
  }

  /**
   * Changes an endpoint. With another address it keeps only the scopes that the token has as well.
   * @throws ServiceError not_found; invalid_request; webhook_endpoint_disabled if only the operator can enable it
   */
  async change({ tokenId, scopes }: ChangingToken, id: string, change: EndpointChange): Promise<WebhookEndpointRow> {
    const { url, eventTypes, description, enabled } = change;
    const address = url === undefined ? null : this.checked(url);
    const [[result]] = await this.database.write([
      this.changeEndpoint({
        id,
        url: address,
        eventTypes: eventTypes === null ? [] : distinct(eventTypes),
        description: description === null ? '' : (description ?? null),
        scopes: [...scopes],
        enabled: enabled === undefined ? null : enabled ? 'yes' : 'no',
        reason: 'owner',
        actor: `token:${tokenId}`,
      }),
    ]);
    const { outcome, ...endpoint } = result ?? noSuchEndpoint();
    switch (outcome) {
      case 'changed':
        return endpoint;
      case 'held':
        throw new ServiceError('webhook_endpoint_disabled', 'The operator has disabled the endpoint; ask the operator');
      default:
        return noSuchEndpoint();
    }
  }

  /** Deletes an endpoint. What waits for it is not sent. @throws ServiceError not_found */
  async delete({ tokenId }: ChangingToken, id: string): Promise<void> {
    const [[row]] = await this.database.write([this.deleteEndpoint({ id, actor: `token:${tokenId}` })]);
    if (!row?.result) noSuchEndpoint();
  }

  /**
   * Gives an endpoint a new secret. For 24 hours deliveries are signed with the former one as well. @returns it with the new secret
   * @throws ServiceError not_found
   */
  async rotateSecret({ tokenId }: ChangingToken, id: string): Promise<WebhookEndpointRow & { secret: string }> {
    const { secret, ciphertext } = this.secrets.generate({ customerId: this.context.customerId, id });
    const [[endpoint]] = await this.database.write([
      this.rotate({ id, secretCiphertext: ciphertext, overlap: SECRET_OVERLAP, actor: `token:${tokenId}` }),
    ]);
    return { ...(endpoint ?? noSuchEndpoint()), secret };
  }

  /** The address as it is used. @throws ServiceError invalid_request */
  private checked(url: string): string {
    const used = addressInUse(url, { privateAllowed: this.config.WEBHOOK_ALLOW_PRIVATE });
    if (used.fault === undefined) return used.address;
    const detail = `url ${used.fault}`;
    throw new ServiceError('invalid_request', detail, { errors: [{ pointer: '/url', detail }] });
  }
}

/** @throws ServiceError not_found: the endpoint is not one of the customer's */
function noSuchEndpoint(): never {
  throw new ServiceError('not_found', 'You have no webhook endpoint with this id');
}

/** Null for none: an endpoint without types gets all. */
function distinct(types: readonly CustomerEventType[] | null | undefined): CustomerEventType[] | null {
  return types && types.length > 0 ? [...new Set(types)] : null;
}
