import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  EntityWritesService,
  type KeysetList,
  type ReadRow,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import {
  type DeliveryState,
  QUEUE_FULL_SECONDS,
  type Redelivered,
  REDELIVERED_AT_ONCE,
  WebhookDelivery,
} from '../entities/webhook-delivery.entity';

/** Properties of a delivery that the customer sees. */
const DELIVERY = [
  'id',
  'endpointId',
  'eventId',
  'eventType',
  'state',
  'attempts',
  'nextAttemptAt',
  'lastAttemptAt',
  'lastStatus',
  'lastError',
  'deliveredAt',
  'createdAt',
] as const satisfies (keyof WebhookDelivery)[];

/** The fields of a delivery that the customer sees. */
export type WebhookDeliveryRow = ReadRow<WebhookDelivery, (typeof DELIVERY)[number]>;

/** Filters of the list. */
export interface DeliveryFilter {
  endpointId?: string;
  state?: DeliveryState;
}

type Outcome = 'queued' | 'unknown' | 'disabled' | 'deleted' | 'too_many' | 'full';

/** The deliveries to the customer's own endpoints. */
@Injectable()
export class WebhookDeliveriesService {
  private readonly deliveries: KeysetList<WebhookDeliveryRow>;
  private readonly testEndpoint;
  private readonly redeliverOne;
  private readonly redeliverSince;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly config: AppConfig,
    reads: EntityReadsService,
    writes: EntityWritesService,
  ) {
    this.deliveries = reads.list(WebhookDelivery, {
      name: 'webhooks.deliveries',
      select: DELIVERY,
      filters: [
        { property: 'endpointId', operator: '=' },
        { property: 'state', operator: '=' },
      ],
      timedIds: true,
    });
    const outcome = decoders.text as (text: string) => Outcome;
    const row = { entity: WebhookDelivery, column: 'delivery', select: DELIVERY } as const;
    this.testEndpoint = writes.call({
      name: 'webhooks.test',
      calls: 'app.test_webhook_endpoint',
      parameters: { endpoint: 'uuid', most: 'integer', actor: 'text' },
      returns: { outcome, secondsLeft: decoders.number },
      row,
    });
    this.redeliverOne = writes.call({
      name: 'webhooks.redeliver',
      calls: 'app.redeliver_webhook',
      parameters: { id: 'uuid', actor: 'text' },
      returns: { outcome },
      row,
    });
    this.redeliverSince = writes.call({
      name: 'webhooks.redeliver-since',
      calls: 'app.redeliver_webhooks_since',
      parameters: { endpoint: 'uuid', since: 'timestamp with time zone', most: 'integer', actor: 'text' },
      returns: { outcome, queued: decoders.number, more: decoders.boolean },
    });
  }

  /** A page of the customer's deliveries, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest, { endpointId, state }: DeliveryFilter): Promise<Page<WebhookDeliveryRow>> {
    return this.database.page(this.deliveries, page, [endpointId, state]);
  }

  /**
   * Queues a delivery of a test event. @param tokenId the token, for the audit log
   * @throws ServiceError not_found; webhook_endpoint_disabled; rate_limited if there were too many within an hour
   */
  async test(tokenId: string, endpoint: string): Promise<WebhookDeliveryRow> {
    const most = this.config.WEBHOOK_TESTS_PER_HOUR;
    const [[result]] = await this.database.write([this.testEndpoint({ endpoint, most, actor: `token:${tokenId}` })]);
    const { outcome, secondsLeft, ...delivery } = result ?? noSuch('endpoint');
    if (outcome === 'too_many')
      throw new ServiceError('rate_limited', `At most ${most} test deliveries an hour`, {
        retryAfterSeconds: secondsLeft,
      });
    assertQueued(outcome, 'endpoint');
    return delivery;
  }

  /** Queues a delivery again, whatever its state. @throws ServiceError not_found; webhook_endpoint_disabled; rate_limited if too much waits */
  async redeliver(tokenId: string, id: string): Promise<WebhookDeliveryRow> {
    const [[result]] = await this.database.write([this.redeliverOne({ id, actor: `token:${tokenId}` })]);
    const { outcome, ...delivery } = result ?? noSuch('delivery');
    assertQueued(outcome, 'delivery');
    return delivery;
  }

  /**
   * Queues again the deliveries of an endpoint that have failed or were missed since a time, or would be tried again later: the
   * oldest ones, if they are very many.
   * @throws ServiceError not_found; webhook_endpoint_disabled; rate_limited if too much waits already
   */
  async redeliverAll(tokenId: string, endpoint: string, since: Date): Promise<Redelivered> {
    const [[result]] = await this.database.write([
      this.redeliverSince({ endpoint, since, most: REDELIVERED_AT_ONCE, actor: `token:${tokenId}` }),
    ]);
    const { outcome, queued, more } = result ?? noSuch('endpoint');
    assertQueued(outcome, 'endpoint');
    return { queued, more };
  }
}

/** @throws ServiceError */
function assertQueued(outcome: Outcome, noun: 'endpoint' | 'delivery'): void {
  if (outcome === 'unknown') noSuch(noun);
  if (outcome === 'deleted')
    throw new ServiceError('not_found', 'The endpoint of this delivery was deleted: nothing is sent to it any more');
  if (outcome === 'disabled')
    throw new ServiceError('webhook_endpoint_disabled', 'The endpoint is disabled; enable it first');
  if (outcome === 'full')
    throw new ServiceError(
      'rate_limited',
      'As much waits for your endpoints as may; try again when some of it was sent',
      {
        retryAfterSeconds: QUEUE_FULL_SECONDS,
      },
    );
}

/** @throws ServiceError not_found: it is not one of the customer's */
function noSuch(noun: 'endpoint' | 'delivery'): never {
  throw new ServiceError('not_found', `You have no webhook ${noun} with this id`);
}
