import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NO_CUSTOMER } from '@platform/context';
import { AppConfig } from '@platform/config';
import { eachIndependently } from '@platform/database';
import type { EndpointKey } from '../webhook-secrets/webhook-secrets.service';

/** The queue of runs. `app.queue_webhook_run` adds items with the same names: a run of an endpoint is queued once. */
export const WEBHOOK_RUNS = 'webhooks.deliver';
/** Endpoints whose last attempt failed share places of their own. */
export const FAILING_RUNS = 'failing';

/** A run to be queued, of an endpoint with deliveries that are due. */
export interface DueRun {
  /** {@link endpointOfRun} reads it. */
  key: string;
  group?: typeof FAILING_RUNS;
}

/** The endpoint of a run in the queue. */
export function endpointOfRun(key: string): EndpointKey {
  const [customerId = '', id = ''] = key.split('/');
  return { customerId, id };
}

/** The state of the deliveries, over all customers. */
export interface WebhookHealth {
  /** Deliveries that are due and not sent. */
  due: number;
  /**
   * How long an endpoint that is not failing has been waiting for an attempt at most: since a delivery that was not tried yet is due,
   * or since its last attempt. One endpoint's long queue is no delay of the workers.
   */
  oldest_untried_age: number;
  /** Endpoints that are in use, and those whose last attempt failed. */
  endpoints: number;
  failing: number;
  /** Endpoints that get nothing new because too much waits for them. */
  full: number;
}

/** In the order in which `app.make_deliveries` queues runs, so that the two never wait for each other: the operator's own last. */
const DUE = `
  select d.customer_id as "customerId", d.endpoint_id as id, w.failing_since is not null as failing
  from (select distinct customer_id, endpoint_id from webhook_delivery where state = 'pending' and next_attempt_at <= app.now()) d
  join webhook_endpoint w on w.customer_id = d.customer_id and w.id = d.endpoint_id
  left join customer c on c.id = d.customer_id
  where w.disabled_at is null and c.active is not false
  order by d.customer_id = '${NO_CUSTOMER}', d.customer_id, d.endpoint_id`;

/** What a delivery takes besides its event. */
const ROW_BYTES = 200;
const FULL = `
  select customer_id from webhook_delivery where state = 'pending'
  group by customer_id having sum(bytes + ${ROW_BYTES}) >= $1`;
const MARK = `
  update webhook_endpoint set queue_full = customer_id = any ($1::uuid[]) where queue_full <> (customer_id = any ($1::uuid[]))`;

/** Endpoints that take nothing any more, and for which something waits. */
const STOPPED = `
  select d.customer_id as "customerId", d.endpoint_id as id
  from (select distinct customer_id, endpoint_id from webhook_delivery where state = 'pending') d
  left join webhook_endpoint w on w.customer_id = d.customer_id and w.id = d.endpoint_id
  left join customer c on c.id = d.customer_id
  where w.id is null or w.disabled_at is not null or c.active is false`;
const MISS = 'select app.miss_webhook_deliveries($1, $2) as missed';

const ENDPOINTS = `
  select count(*)::int as endpoints, (count(*) filter (where failing_since is not null))::int as failing,
    (count(*) filter (where queue_full))::int as full
  from webhook_endpoint w left join customer c on c.id = w.customer_id where disabled_at is null and c.active is not false`;
const DUE_STATE = `
  select count(*)::int as due,
    coalesce(extract(epoch from app.now() - min(greatest(d.next_attempt_at, case when w.last_attempt_at <= app.now() then w.last_attempt_at end))
      filter (where d.attempts = 0 and w.failing_since is null)), 0)::float8 as oldest_untried_age
  from webhook_delivery d join webhook_endpoint w on w.customer_id = d.customer_id and w.id = d.endpoint_id
  where d.state = 'pending' and d.next_attempt_at <= app.now() and w.disabled_at is null`;

/** Finds the endpoints whose deliveries are due, and measures what waits. */
@Injectable()
export class WebhookQueueService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /**
   * Runs of the endpoints with something due. New deliveries queue a run of their endpoint themselves; this finds repetitions, those
   * that came during a run, and those whose run was lost.
   */
  async findDue(): Promise<DueRun[]> {
    const endpoints = await this.dataSource.query<(EndpointKey & { failing: boolean })[]>(DUE);
    return endpoints.map(({ customerId, id, failing }) => ({
      key: `${customerId}/${id}`,
      ...(failing && { group: FAILING_RUNS }),
    }));
  }

  /**
   * Marks the endpoints of customers for whom as much waits as may: their further deliveries are missed, and can be redelivered.
   * The operator's own are not bounded.
   */
  async markFull(): Promise<void> {
    const rows = await this.dataSource.query<{ customer_id: string }[]>(FULL, [this.config.WEBHOOK_QUEUE_BYTES]);
    const customers = rows.map(({ customer_id }) => customer_id).filter((id) => id !== NO_CUSTOMER);
    await this.dataSource.query(MARK, [customers]);
  }

  /**
   * Misses what waits for endpoints of deactivated customers, and for those that were disabled or deleted: the functions that do it miss
   * the first of a long queue themselves. So it is not sent when they are activated or enabled again. `app.make_deliveries` queues nothing
   * further for them, and runs send them nothing.
   */
  async missStopped(signal?: AbortSignal): Promise<void> {
    const endpoints = await this.dataSource.query<EndpointKey[]>(STOPPED);
    const miss = async ({ customerId, id }: EndpointKey) => {
      for (let missed = -1; missed !== 0 && !signal?.aborted;)
        missed = (await this.dataSource.query<{ missed: number }[]>(MISS, [customerId, id]))[0]?.missed ?? 0;
    };
    await eachIndependently(endpoints, miss, signal);
  }

  /** The state for the metrics. */
  async health(): Promise<WebhookHealth> {
    const [endpoints] = await this.dataSource.query<Omit<WebhookHealth, 'due' | 'oldest_untried_age'>[]>(ENDPOINTS);
    const [due] = await this.dataSource.query<Pick<WebhookHealth, 'due' | 'oldest_untried_age'>[]>(DUE_STATE);
    return { due: 0, oldest_untried_age: 0, endpoints: 0, failing: 0, full: 0, ...endpoints, ...due };
  }
}
