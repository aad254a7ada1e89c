import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppConfig } from '@app/config';
import type { Server } from 'node:http';

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
    // A caller that never finishes its request does not keep the process.
    setTimeout(() => server.closeAllConnections(), this.config.SHUTDOWN_GRACE_MS).unref();
  }
}
