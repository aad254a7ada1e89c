import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppConfig } from '@platform/config';
import type { Server } from 'node:http';

const CLOSE_IDLE_EVERY_MS = 50;

/** Whether the process is draining: requests in progress are finished, new ones are refused. */
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
    // A connection is closed after its last reply; otherwise it would be kept alive for requests that are refused.
    setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref();
    // A client that never finishes its request does not keep the process running.
    setTimeout(() => server.closeAllConnections(), this.config.SHUTDOWN_GRACE_MS).unref();
  }
}
