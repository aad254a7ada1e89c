import { Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { Metrics } from '@platform/metrics';
import { CallLog } from './call-log';
import { StallMeter } from './circuit';
import { ByteBudget } from './reply-body';
import { UpstreamClient } from './upstream-client';
import type { UpstreamOptions } from './upstream-options';
import { WebhookSender, type WebhookSenderOptions } from './webhook-sender';

/** Options of an upstream that do not come from the settings. */
export type ClientOptions = Omit<UpstreamOptions, 'breaker' | 'connectTimeoutMs'> &
  Partial<Pick<UpstreamOptions, 'breaker' | 'connectTimeoutMs'>>;

/**
 * Creates clients of upstreams, which share the process's memory for replies, and closes them when the process stops.
 */
@Injectable()
export class UpstreamClientsService implements OnApplicationShutdown {
  private readonly clients = new Set<UpstreamClient>();
  private readonly senders = new Set<WebhookSender>();
  private readonly stalls = new StallMeter();
  private readonly budget: ByteBudget;
  private readonly log: CallLog;

  constructor(
    private readonly config: AppConfig,
    // The operator's command line serves no metrics.
    @Optional() metrics?: Metrics,
  ) {
    this.budget = new ByteBudget(config.UPSTREAM_MEMORY_MB * 1024 * 1024);
    const state = { clients: () => this.clients, bytesHeld: () => this.budget.used };
    this.log = new CallLog(metrics, state);
  }

  /** Creates the client of an upstream, for as long as the process runs. */
  open(options: ClientOptions): UpstreamClient {
    const client = new UpstreamClient(
      {
        connectTimeoutMs: this.config.UPSTREAM_CONNECT_TIMEOUT_MS,
        breaker: {
          failures: this.config.UPSTREAM_BREAKER_FAILURES,
          windowMs: this.config.UPSTREAM_BREAKER_WINDOW_MS,
          spreadMs: this.config.UPSTREAM_BREAKER_SPREAD_MS,
          resetMs: this.config.UPSTREAM_BREAKER_RESET_MS,
        },
        ...options,
      },
      { budget: this.budget, stalls: this.stalls, log: this.log },
    );
    this.clients.add(client);
    this.log.show(options.name);
    return client;
  }

  /** Creates a sender to addresses that customers choose, for as long as the process runs. */
  openSender(options: Omit<WebhookSenderOptions, 'connectTimeoutMs'>): WebhookSender {
    const sender = new WebhookSender(
      { connectTimeoutMs: this.config.UPSTREAM_CONNECT_TIMEOUT_MS, ...options },
      this.log,
    );
    this.senders.add(sender);
    return sender;
  }

  /** Ends calls in progress: services with calls to finish have finished them before. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.clients, ...this.senders].map((client) => client.close()));
  }
}
