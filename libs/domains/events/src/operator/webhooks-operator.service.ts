import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lockCustomer } from '@domains/customers';
import { NO_CUSTOMER } from '@platform/context';
import { AppConfig } from '@platform/config';
import { OperatorList } from '@platform/database';
import { requireChange, requireText, ServiceError } from '@platform/errors';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import type { Scope } from '@platform/tokens';
import { addressInUse } from '@platform/upstream';
import {
  type DeliveryState,
  QUEUE_FULL_SECONDS,
  type Redelivered,
  REDELIVERED_AT_ONCE,
  WebhookDelivery,
} from '../entities/webhook-delivery.entity';
import { WebhookEndpoint } from '../entities/webhook-endpoint.entity';
import { CUSTOMER_EVENT_TYPES, type EventType, scopeOf } from '../event-types';
import { WEBHOOK_DESCRIPTION_MAX } from '../webhook-values';
import { SECRET_OVERLAP, WebhookSecretsService } from '../webhook-secrets/webhook-secrets.service';

/** The operator's own endpoints: as many as anybody could want. */
const OWN_ENDPOINTS = 1000;

/** An endpoint without its secrets, and without what metrics alone are made of. */
export type EndpointView = Omit<
  WebhookEndpoint,
  'secretCiphertext' | 'formerSecrets' | 'formerSecretsUntil' | 'lastAttemptAt' | 'customerId'
> & {
  /** Null for an endpoint of the operator. */
  customerId: string | null;
};

/** A new endpoint. */
export interface NewOperatorEndpoint {
  /** Undefined for an endpoint of the operator, which gets the events of all customers. */
  customerId?: string;
  url: string;
  /** Undefined for all types. */
  eventTypes?: readonly EventType[];
  description?: string;
  /** How much of its records a customer's endpoint gets; undefined for all that there are events of. */
  scopes?: readonly Scope[];
}

/** A change of an endpoint; undefined fields stay unchanged. */
export interface OperatorEndpointChange {
  url?: string;
  /** None for all types. */
  eventTypes?: readonly EventType[];
  /** The empty text for none. */
  description?: string;
  enabled?: boolean;
}

/** Filters of the list of endpoints: those of a customer, or the operator's own. */
export interface OperatorEndpointFilter {
  customerId?: string;
  own?: boolean;
}

/** Filters of the list of deliveries. */
export interface OperatorDeliveryFilter {
  customerId?: string;
  endpointId?: string;
  state?: DeliveryState;
}

/** Manages webhook endpoints and their deliveries for the operator: those of customers, and its own. Every change is audited. */
@Injectable()
export class WebhooksOperatorService {
  private readonly endpointList: OperatorList<WebhookEndpoint, OperatorEndpointFilter>;
  private readonly deliveryList: OperatorList<WebhookDelivery, OperatorDeliveryFilter>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
    private readonly secrets: WebhookSecretsService,
  ) {
    this.endpointList = new OperatorList(dataSource, WebhookEndpoint, {
      name: 'webhook-endpoints',
      filters: { customerId: 'customerId', own: () => ({ customerId: NO_CUSTOMER }) },
    });
    this.deliveryList = new OperatorList(dataSource, WebhookDelivery, {
      name: 'webhook-deliveries',
      filters: { customerId: 'customerId', endpointId: 'endpointId', state: 'state' },
    });
  }

  /** Endpoints of one customer, of the operator itself, or all, newest first. */
  async list(filter: OperatorEndpointFilter, listing: ListingRequest): Promise<Listing<EndpointView>> {
    return (await this.endpointList.list(ownOrOf(filter), listing)).map(viewOf);
  }

  /** A page of the endpoints, in the order that the request names; with the number of all. */
  async inbox(filter: OperatorEndpointFilter, request: InboxRequest): Promise<InboxPage<EndpointView>> {
    return (await this.endpointList.inbox(ownOrOf(filter), request)).map(viewOf);
  }

  /** An endpoint. @throws ServiceError not_found */
  async show(id: string): Promise<EndpointView> {
    return viewOf(await this.find(id));
  }

  /**
   * Adds an endpoint.
   * @returns it with its secret, which is not shown again
   * @throws ServiceError not_found for an unknown customer, invalid_request for one that was erased and for scopes without a customer,
   * too_many_webhook_endpoints
   */
  async add(actor: string, endpoint: NewOperatorEndpoint): Promise<EndpointView & { secret: string }> {
    const { customerId, url, eventTypes, description } = endpoint;
    const owner = customerId ?? NO_CUSTOMER;
    if (customerId === undefined && endpoint.scopes !== undefined)
      throw new ServiceError(
        'invalid_request',
        "Scopes are for a customer's endpoint: one of your own gets all records",
      );
    const address = this.checked(owner, url);
    assertTypes(owner, eventTypes);
    assertDescription(description);
    const id = randomUUID();
    const { secret, ciphertext } = this.secrets.generate({ customerId: owner, id });
    const scopes = customerId === undefined ? null : [...new Set(endpoint.scopes ?? SCOPES_OF_EVENTS)];
    const most = customerId === undefined ? OWN_ENDPOINTS : this.config.WEBHOOK_ENDPOINTS;
    const row = await this.dataSource.transaction(async (manager) => {
      if (customerId !== undefined) await lockCustomer(manager, customerId);
      const [made] = await manager.query<{ outcome: string }[]>(
        `select outcome from app.create_webhook_endpoint($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [owner, id, address, orNull(eventTypes), description || null, scopes, ciphertext, most, actor],
      );
      return made;
    });
    if (row?.outcome !== 'created')
      throw new ServiceError('too_many_webhook_endpoints', `There are ${most} webhook endpoints already`);
    return { ...(await this.show(id)), secret };
  }

  /** Changes an endpoint. @throws ServiceError not_found, invalid_request */
  async change(actor: string, id: string, change: OperatorEndpointChange): Promise<EndpointView> {
    const { customerId } = await this.find(id);
    const { url, eventTypes, description, enabled } = requireChange(change);
    const address = url === undefined ? undefined : this.checked(customerId, url);
    assertTypes(customerId, eventTypes);
    assertDescription(description);
    await this.dataSource.query(
      `select outcome from app.change_webhook_endpoint($1, $2, $3, $4, $5, null, $6, 'operator', $7)`,
      [customerId, id, address, eventTypes, description, enabled === undefined ? null : enabled ? 'yes' : 'no', actor],
    );
    return this.show(id);
  }

  /** Deletes an endpoint. What waits for it is not sent. @throws ServiceError not_found */
  async remove(actor: string, id: string): Promise<EndpointView> {
    const endpoint = await this.find(id);
    await this.dataSource.query('select app.delete_webhook_endpoint($1, $2, $3)', [endpoint.customerId, id, actor]);
    return viewOf(endpoint);
  }

  /** Gives an endpoint a new secret; each former one remains valid for 24 hours from its rotation. @throws ServiceError not_found */
  async rotateSecret(actor: string, id: string): Promise<EndpointView & { secret: string }> {
    const { customerId } = await this.find(id);
    const { secret, ciphertext } = this.secrets.generate({ customerId, id });
    await this.dataSource.query('select from app.rotate_webhook_secret($1, $2, $3, $4, $5)', [
      customerId,
      id,
      ciphertext,
      SECRET_OVERLAP,
      actor,
    ]);
    return { ...(await this.show(id)), secret };
  }

  /** Queues a delivery of a test event. @throws ServiceError not_found, webhook_endpoint_disabled, rate_limited */
  async test(actor: string, id: string): Promise<WebhookDelivery> {
    const { customerId } = await this.find(id);
    await this.assertActive(customerId);
    const most = this.config.WEBHOOK_TESTS_PER_HOUR;
    const [row] = await this.dataSource.query<{ outcome: string; seconds_left: number; id: string }[]>(
      'select outcome, seconds_left, (delivery).id from app.test_webhook_endpoint($1, $2, $3, $4)',
      [customerId, id, most, actor],
    );
    if (row?.outcome === 'too_many')
      throw new ServiceError('rate_limited', `At most ${most} test deliveries an hour`, {
        retryAfterSeconds: row.seconds_left,
      });
    assertQueued(row?.outcome);
    return this.findDelivery({ customerId, id: row?.id ?? '' });
  }

  /** Deliveries of one customer's endpoints or of all, newest first. */
  deliveries(filter: OperatorDeliveryFilter, listing: ListingRequest): Promise<Listing<WebhookDelivery>> {
    return this.deliveryList.list(filter, listing);
  }

  /** A page of them, newest first; with the number of all. */
  deliveriesInbox(filter: OperatorDeliveryFilter, request: InboxRequest): Promise<InboxPage<WebhookDelivery>> {
    return this.deliveryList.inbox(filter, request);
  }

  /** Queues a delivery again. @throws ServiceError not_found, webhook_endpoint_disabled, rate_limited if too much waits */
  async redeliver(actor: string, deliveryId: string): Promise<WebhookDelivery> {
    // The operator gives only the delivery's id, so this query names no customer.
    const { customerId } = await this.findDelivery({ id: deliveryId });
    await this.assertActive(customerId);
    const [row] = await this.dataSource.query<{ outcome: string }[]>(
      'select outcome from app.redeliver_webhook($1, $2, $3)',
      [customerId, deliveryId, actor],
    );
    assertQueued(row?.outcome);
    return this.findDelivery({ customerId, id: deliveryId });
  }

  /**
   * Queues again an endpoint's deliveries that have failed or were missed since a time, also those that would be tried again
   * later: the oldest ones, if they are very many.
   * @throws ServiceError not_found, webhook_endpoint_disabled, rate_limited if too much waits already
   */
  async redeliverAll(actor: string, endpointId: string, since: Date): Promise<Redelivered> {
    const { customerId } = await this.find(endpointId);
    await this.assertActive(customerId);
    const [row] = await this.dataSource.query<({ outcome: string } & Redelivered)[]>(
      'select outcome, queued, more from app.redeliver_webhooks_since($1, $2, $3, $4, $5)',
      [customerId, endpointId, since, REDELIVERED_AT_ONCE, actor],
    );
    assertQueued(row?.outcome);
    return { queued: row?.queued ?? 0, more: row?.more ?? false };
  }

  private async find(id: string): Promise<WebhookEndpoint> {
    const endpoint = await this.dataSource.manager.findOneBy(WebhookEndpoint, { id });
    if (!endpoint) throw new ServiceError('not_found', 'There is no webhook endpoint with this id');
    return endpoint;
  }

  private async findDelivery(key: { customerId?: string; id: string }): Promise<WebhookDelivery> {
    const delivery = await this.dataSource.manager.findOneBy(WebhookDelivery, key);
    if (!delivery) throw new ServiceError('not_found', 'There is no webhook delivery with this id');
    return delivery;
  }

  /** @throws ServiceError webhook_endpoint_disabled: nothing is sent to a customer that is shut out */
  private async assertActive(owner: string): Promise<void> {
    const inactive = 'select from customer where id = $1 and not active';
    if ((await this.dataSource.query<unknown[]>(inactive, [owner])).length === 0) return;
    throw new ServiceError('webhook_endpoint_disabled', 'The customer is deactivated; activate it first');
  }

  /** The address as it is used. @throws ServiceError invalid_request */
  private checked(owner: string, url: string): string {
    const used = addressInUse(url, { privateAllowed: owner === NO_CUSTOMER || this.config.WEBHOOK_ALLOW_PRIVATE });
    if (used.fault !== undefined) throw new ServiceError('invalid_request', `The address ${used.fault}`);
    return used.address;
  }
}

/** The scopes of the records that customers' events have. */
const SCOPES_OF_EVENTS = [...new Set(CUSTOMER_EVENT_TYPES.map(scopeOf))].filter((scope) => scope !== null);

/** The operator's own endpoints are no customer's, even if one is named. */
function ownOrOf(filter: OperatorEndpointFilter): OperatorEndpointFilter {
  return filter.own ? { own: true } : filter;
}

function viewOf({
  secretCiphertext: _secret,
  formerSecrets: _former,
  formerSecretsUntil: _until,
  lastAttemptAt: _at,
  customerId,
  ...endpoint
}: WebhookEndpoint): EndpointView {
  return { ...endpoint, customerId: customerId === NO_CUSTOMER ? null : customerId };
}

function orNull(types: readonly EventType[] | undefined): readonly EventType[] | null {
  return types && types.length > 0 ? types : null;
}

/** @throws ServiceError invalid_request */
function assertTypes(owner: string, types: readonly EventType[] = []): void {
  const customers: readonly EventType[] = CUSTOMER_EVENT_TYPES;
  const others = owner === NO_CUSTOMER ? [] : types.filter((type) => !customers.includes(type));
  if (others.length > 0)
    throw new ServiceError('invalid_request', `Only the operator's endpoints get events of ${others.join(', ')}`);
}

/** @throws ServiceError invalid_request */
function assertDescription(description = ''): void {
  requireText(description, 'The description', { max: WEBHOOK_DESCRIPTION_MAX });
}

/** @throws ServiceError */
function assertQueued(outcome: string | undefined): void {
  if (outcome === 'disabled')
    throw new ServiceError('webhook_endpoint_disabled', 'The endpoint is disabled; enable it first');
  if (outcome === 'deleted') throw new ServiceError('not_found', 'The endpoint of this delivery was deleted');
  if (outcome === 'full')
    throw new ServiceError(
      'rate_limited',
      "As much waits for the customer's endpoints as may; try again when some of it was sent",
      {
        retryAfterSeconds: QUEUE_FULL_SECONDS,
      },
    );
  if (outcome !== 'queued') throw new ServiceError('not_found', 'There is no such webhook endpoint');
}
