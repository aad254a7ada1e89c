import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '@platform/config';
import { clientSettings } from '@platform/database';

/**
 * The PostgreSQL channel with ids of customers whose tokens, or the settings that a token's look-up returns, have
 * changed.
 */
const TOKEN_CHANGES = 'service_token_changes';

/**
 * Announces, when the transaction commits, that cached tokens of the customer are no longer valid. Every change of a
 * token, of the customer's active flag, of its limits or of whether AI is enabled must call it.
 */
export async function announceTokenChange(manager: EntityManager, customerId: string): Promise<void> {
  await manager.query('select pg_notify($1, $2)', [TOKEN_CHANGES, customerId]);
}

/** How long cached tokens may be used after the last proof that changes are received. */
const TRUST_MS = 100;
const PROBE_EVERY_MS = 30;
const RETRY_MS = 250;
/** After this time without a reply to a probe, the connection counts as dead. */
const DEAD_MS = 1000;

/**
 * Listens for token changes, and knows whether it would receive them. A connection can die unnoticed, so it is probed
 * continuously: a reply proves that all announcements from before the probe have been received.
 */
@Injectable()
export class TokenChangeListenerService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(TokenChangeListenerService.name);
  /** Called with the customer's id on a change, and without one if changes may have been missed. */
  onChange: (customerId?: string) => void = () => undefined;

  private client?: Client;
  private provenAt = -Infinity;
  private timer?: NodeJS.Timeout;
  private stopped = false;
  private hearing = true;

  constructor(private readonly config: AppConfig) {}

  /** Whether a change made at least 100 ms ago is certain to have been received. */
  get trusted(): boolean {
    return performance.now() - this.provenAt < TRUST_MS;
  }

  onModuleInit(): void {
    void this.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    // Closing a dead connection would never finish; the process ends all the same.
    await Promise.race([this.client?.end(), wait(DEAD_MS, undefined, { ref: false })]);
  }

  private async listen(): Promise<void> {
    const client = new Client({
      ...clientSettings(this.config, 'customer_api'),
      application_name: TOKEN_CHANGES,
      query_timeout: DEAD_MS,
    });
    const lost = (error?: unknown) => this.lost(client, error);
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ payload }) => this.onChange(payload));
    this.client = client;
    try {
      await client.connect();
      await client.query(`listen ${TOKEN_CHANGES}`);
      // Announcements during the interruption are lost, so the whole cache is dropped.
      this.onChange();
      await this.probe(client);
    } catch (error) {
      lost(error);
    }
  }

  private async probe(client: Client): Promise<void> {
    const sentAt = performance.now();
    await client.query('select 1');
    if (client !== this.client) return;
    this.provenAt = sentAt;
    this.hearing = true;
    this.timer = setTimeout(
      () => void this.probe(client).catch((error: unknown) => this.lost(client, error)),
      PROBE_EVERY_MS,
    );
  }

  private lost(client: Client, error?: unknown): void {
    if (client !== this.client) return;
    this.client = undefined;
    this.provenAt = -Infinity;
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    if (this.stopped) return;
    if (this.hearing)
      this.logger.warn({ msg: 'token changes are not heard; every token is looked up until they are', err: error });
    this.hearing = false;
    this.timer = setTimeout(() => void this.listen(), RETRY_MS);
  }
}
