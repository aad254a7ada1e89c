import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';

/** Pause before a lost connection is replaced. */
const REOPEN_MS = 500;

/** A method of the driver's pool that its types leave out: it opens a connection whatever the state of the others. */
interface OpeningPool extends Pool {
  newClient(pending: { callback: (error?: Error, client?: unknown, release?: () => void) => void }): void;
}

/**
 * Opens all connections of the pool when the process starts, and again when they are lost. If they were opened at first
 * use, they would be missing when resources are scarce: file descriptors, the server's connections, time.
 */
@Injectable()
export class WarmPoolService implements OnModuleInit {
  private readonly logger = new Logger(WarmPoolService.name);
  private timer?: NodeJS.Timeout;

  constructor(private readonly dataSource: DataSource) {}

  /** @throws if the server does not allow so many connections */
  async onModuleInit(): Promise<void> {
    const pool = (this.dataSource.driver as unknown as { master: OpeningPool }).master;
    await this.fill(pool);
    pool.on('remove', () => {
      this.timer ??= setTimeout(() => void this.refill(pool), REOPEN_MS).unref();
    });
  }

  private async refill(pool: OpeningPool): Promise<void> {
    this.timer = undefined;
    if (pool.ending) return;
    try {
      await this.fill(pool);
    } catch (error) {
      this.logger.debug({ err: error, msg: 'database connections could not be opened again yet' });
      this.timer ??= setTimeout(() => void this.refill(pool), REOPEN_MS).unref();
    }
  }

  private async fill(pool: OpeningPool): Promise<void> {
    const missing = Math.max(0, pool.options.max - pool.totalCount);
    await Promise.all(Array.from({ length: missing }, () => open(pool)));
  }
}

function open(pool: OpeningPool): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.newClient({
      callback: (error, _client, release) => {
        release?.();
        if (error) reject(error);
        else resolve();
      },
    });
  });
}
