import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppConfig } from '@platform/config';
import type { Server } from 'node:http';

const CLOSE_IDLE_EVERY_MS = 50;

/** Knows whether the process is about to stop: what is in flight is finished, nothing new is taken. */
@Injectable()
export class Draining implements OnModuleDestroy {
  active = false;

  constructor(
    private readonly config: AppConfig,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleDestroy(): void {
    this.active = true;
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
    // A connection is closed when its last reply is out; left alone, it would be kept for a request that is not taken.
    setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref();
    // A caller that never finishes its request does not keep the process.
    setTimeout(() => server.closeAllConnections(), this.config.SHUTDOWN_GRACE_MS).unref();
  }
}
