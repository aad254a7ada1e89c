import { Injectable, Logger } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { DataSource } from 'typeorm';
import { NO_CUSTOMER } from '@platform/context';
import { AppConfig } from '@platform/config';
import { Metrics } from '@platform/metrics';
import { SecretUnreadableError } from '@platform/secrets';
import type { Scope } from '@platform/tokens';
import { UpstreamClientsService, type WebhookResult, type WebhookSender } from '@platform/upstream';
import { type DeliveredType, TEST_TYPE } from '../entities/webhook-delivery.entity';
import type { EventType } from '../event-types';
import { type DeliveredEvent, EventBodiesPort } from '../ports/event-bodies.port';
import { type EndpointKey, WebhookSecretsService } from '../webhook-secrets/webhook-secrets.service';

/** Deliveries that are read at a time: their bodies are in memory. */
const BATCH = 10;
/** A run gives its place to another endpoint's after this time. */
const RUN_MS = 10_000;
/** A run passes over so many deliveries that cannot be made: if they are more, most likely none can. */
const MOST_FAULTS = 1000;
/**
 * Results are stored after this time, and the other deliveries read again: their records may have been taken out of the events, their
 * endpoint changed, or its customer deactivated.
 */
const STORE_AFTER_MS = 500;

/** Seconds from a failed attempt to the next one, by the number of attempts. */
const SCHEDULE = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600] as const;
const LONGEST_WAIT = 10 * 3600;
const GONE = 410;

/** Failures that took long: the endpoint's other deliveries wait for a later run, so that it does not occupy this place. */
const SLOW = ['timeout_total', 'timeout_connect', 'timeout_first_byte', 'timeout_idle'];

/** The name of the other system in logs and metrics. */
const UPSTREAM = 'webhook';

/** A delivery that is due, with its endpoint and its event. Times are RFC 3339 text. */
interface DueDelivery {
  id: string;
  event_customer_id: string;
  event_id: string;
  event_type: DeliveredType;
  attempts: number;
  created_at: string;
  queued_at: string;
  /** When it was read, shortly before it is sent: seconds since 1970, by the database's clock. */
  now: number;
  url: string;
  scopes: Scope[] | null;
  secret: Buffer;
  /** Those before that are valid still. */
  former_secrets: Buffer[];
  event: Omit<DeliveredEvent, 'id' | 'type'> | null;
}

/** The result of a delivery's attempt. */
interface Attempt {
  id: string;
  /** Where it was sent. */
  url: string;
  /** When its delivery had been queued. */
  queuedAt: string;
  result: WebhookResult;
  /** Seconds until the next one. */
  wait: number;
}

/** Why deliveries of a run could not be made, by their ids. */
type Faults = Map<string, unknown>;

/** Of an endpoint, when results were stored. */
interface Stored {
  /** Why it was disabled by them; null if it was not. */
  disabled: string | null;
  /** Whether more is due by now. */
  more: boolean;
}

const EVENT = `json_build_object('reference', e.reference, 'record', e.record, 'createdAt', app.json_time(e.created_at))`;

/** In the order in which they were queued; one that failed comes after those that were queued before it is due again. */
const DUE = (event: string, join: string, condition = 'true') => `
  select d.id, d.event_customer_id, d.event_id, d.event_type, d.attempts, app.json_time(d.created_at) as created_at,
    app.json_time(d.queued_at) as queued_at, extract(epoch from app.now())::float8 as now, w.url, w.scopes,
    w.secret_ciphertext as secret, array(select f.secret from unnest(w.former_secrets, w.former_secrets_until) f(secret, until)
      where f.until > app.now()) as former_secrets, ${event} as event
  from webhook_delivery d join webhook_endpoint w on w.customer_id = d.customer_id and w.id = d.endpoint_id ${join}
  where d.customer_id = $1 and d.endpoint_id = $2 and d.state = 'pending' and d.next_attempt_at <= app.now() and w.disabled_at is null
    and d.id <> all ($3::uuid[]) and ${condition}
  order by d.next_attempt_at, d.id limit ${BATCH}`;
const DUE_OF_CUSTOMER = DUE(
  `case when e.id is not null then ${EVENT} end`,
  `left join event e on e.customer_id = d.customer_id and e.id = d.event_id left join customer c on c.id = d.customer_id`,
  'c.active is not false',
);
/** The operator's deliveries are of events of all customers, which on a cluster are on other nodes. */
const DUE_OF_OPERATOR = DUE('null::json', '');
const EVENTS = `select e.id, ${EVENT} as event from event e where e.customer_id = $1 and e.id = any ($2)`;
const RECORD = `select disabled, more from app.record_webhook_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

/**
 * Delivers what is due at one endpoint, one delivery after another. A delivery that fails is due again later and holds back no
 * other. At least once: what a killed worker has sent and not recorded is sent again, with the same id.
 */
@Injectable()
export class WebhookRunsService {
  private readonly logger = new Logger(WebhookRunsService.name);
  private readonly sender: WebhookSender;
  private readonly results: Counter<'result'>;
  private readonly delays: Histogram;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: WebhookSecretsService,
    private readonly bodies: EventBodiesPort,
    private readonly config: AppConfig,
    clients: UpstreamClientsService,
    { registry }: Metrics,
  ) {
    this.sender = clients.openSender({ name: UPSTREAM, timeoutMs: config.WEBHOOK_TIMEOUT_MS });
    this.results = new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to deliver an event to an endpoint, by their result',
      labelNames: ['result'],
      registers: [registry],
    });
    for (const result of ['delivered', 'failed', 'disabled']) this.results.inc({ result }, 0);
    this.delays = new Histogram({
      name: 'webhook_delay_seconds',
      help: 'Time from an event to its delivery at the first attempt',
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [registry],
    });
  }

  /** Runs until nothing is due, for some seconds at most: the rest is due in a later run. @throws if a delivery could not be made */
  async run(endpoint: EndpointKey, signal: AbortSignal): Promise<void> {
    const until = performance.now() + RUN_MS;
    const faults: Faults = new Map();
    let more = true;
    while (more && faults.size < MOST_FAULTS && !signal.aborted && performance.now() < until) {
      const due = await this.read(endpoint, [...faults.keys()]);
      more = due.length > 0 && (await this.deliver(endpoint, due, { until, signal, faults }));
    }
    const [cause] = faults.values();
    if (faults.size > 0) throw new Error('A delivery could not be made', { cause });
  }

  private async read({ customerId, id }: EndpointKey, without: string[]): Promise<DueDelivery[]> {
    const isOperators = customerId === NO_CUSTOMER;
    const statement = isOperators ? DUE_OF_OPERATOR : DUE_OF_CUSTOMER;
    const due = await this.dataSource.query<DueDelivery[]>(statement, [customerId, id, without]);
    if (!isOperators) return due;
    const byCustomer = Map.groupBy(due, ({ event_customer_id }) => event_customer_id);
    for (const [customer, deliveries] of byCustomer) {
      const ids = deliveries.map(({ event_id }) => event_id);
      const events = await this.dataSource.query<{ id: string; event: DueDelivery['event'] }[]>(EVENTS, [
        customer,
        ids,
      ]);
      const byId = new Map(events.map((row) => [row.id, row.event]));
      for (const delivery of deliveries) delivery.event = byId.get(delivery.event_id) ?? null;
    }
    return due;
  }

  /** @returns whether more is due that this run may deliver */
  private async deliver(
    endpoint: EndpointKey,
    due: DueDelivery[],
    { until, signal, faults }: { until: number; signal: AbortSignal; faults: Faults },
  ): Promise<boolean> {
    const readAt = performance.now();
    const attempts: Attempt[] = [];
    let ends = false;
    for (const delivery of due) {
      // What was read and not sent is due in a later run.
      if (signal.aborted || performance.now() >= until) break;
      // One that cannot be made keeps none behind it from being sent, nor what was sent from being stored.
      const result = await this.send(endpoint, delivery, signal).catch(
        (error: unknown) => void faults.set(delivery.id, error),
      );
      if (result === undefined) {
        // The endpoint's own: nothing of it can be signed.
        ends = faults.get(delivery.id) instanceof SecretUnreadableError;
        if (ends) break;
        continue;
      }
      // The worker stops: nothing is known about the attempt, and another worker repeats it.
      if (result.outcome === 'shutdown') break;
      this.measure(delivery, result, (performance.now() - readAt) / 1000);
      const { id, url, queued_at: queuedAt } = delivery;
      attempts.push({ id, url, queuedAt, result, wait: waitOf(delivery.attempts, result) });
      ends = SLOW.includes(result.outcome);
      if (ends || result.status === GONE || performance.now() - readAt > STORE_AFTER_MS) break;
    }
    const { more } = attempts.length > 0 ? await this.store(endpoint, attempts) : { more: true };
    return more && !ends;
  }

  private async send(endpoint: EndpointKey, delivery: DueDelivery, signal: AbortSignal): Promise<WebhookResult> {
    const { event_id: id, url, secret, former_secrets: former, scopes } = delivery;
    const body = this.bodyOf(endpoint, delivery, scopes);
    const timestamp = Math.floor(delivery.now);
    return this.sender.send({
      operation: 'deliver',
      url,
      privateAllowed: this.config.WEBHOOK_ALLOW_PRIVATE || endpoint.customerId === NO_CUSTOMER,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'customer-account-service-webhooks',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': this.secrets.sign(endpoint, secret, former, { id, timestamp, body }),
      },
      body,
      signal,
    });
  }

  private bodyOf(
    endpoint: EndpointKey,
    { event_id: id, event_type: type, created_at, event }: DueDelivery,
    scopes: Scope[] | null,
  ): string {
    // A test is in no log, and an event may have left it.
    if (!event)
      return JSON.stringify({ id, type, created_at, data: type === TEST_TYPE ? { endpoint_id: endpoint.id } : {} });
    return this.bodies.write({ id, type: type as EventType, ...event }, scopes);
  }

  private measure({ attempts, queued_at, now }: DueDelivery, { accepted }: WebhookResult, elapsed: number): void {
    this.results.inc({ result: accepted ? 'delivered' : 'failed' });
    if (accepted && attempts === 0) this.delays.observe(Math.max(0, now + elapsed - Date.parse(queued_at) / 1000));
  }

  private async store({ customerId, id }: EndpointKey, attempts: Attempt[]): Promise<Stored> {
    const results = attempts.map(({ result }) => result);
    const [stored = { disabled: null, more: false }] = await this.dataSource.query<Stored[]>(RECORD, [
      customerId,
      id,
      attempts[0]?.url,
      attempts.map((attempt) => attempt.id),
      attempts.map(({ queuedAt }) => queuedAt),
      results.map(({ status }) => status ?? null),
      results.map(({ status, outcome }) => (outcome === String(status) ? null : outcome)),
      results.map(({ accepted }) => accepted),
      attempts.map(({ wait }) => wait),
      results.at(-1)?.accepted === true,
      results.some(({ status }) => status === GONE),
    ]);
    const { disabled: reason } = stored;
    if (reason !== null) {
      this.results.inc({ result: 'disabled' });
      this.logger.warn({ msg: 'a webhook endpoint was disabled', customer_id: customerId, endpoint_id: id, reason });
    }
    return stored;
  }
}

/** Seconds until the next attempt: as scheduled, or as long as the receiver asks for, within bounds. */
function waitOf(attempts: number, { retryAfterMs = 0 }: WebhookResult): number {
  const scheduled = SCHEDULE[attempts] ?? LONGEST_WAIT;
  return Math.max(scheduled, Math.min(Math.ceil(retryAfterMs / 1000), LONGEST_WAIT));
}
