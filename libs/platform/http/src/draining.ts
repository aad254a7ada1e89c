import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AppConfig } from '@platform/config';
import type { Server } from 'node:http';
import { ListeningSockets } from './connections/listening-sockets';

const CLOSE_IDLE_EVERY_MS = 50;

/**
 * Whether the process is draining: it accepts no more connections, answers the requests on those that it has, and closes
 * each after its reply. Nobody is refused: the proxy chooses another replica.
 */
@Injectable()
export class Draining implements OnModuleDestroy {
  active = false;

  constructor(
    private readonly config: AppConfig,
    private readonly adapterHost: HttpAdapterHost,
    private readonly sockets: ListeningSockets,
  ) {}

  onModuleDestroy(): void {
    this.active = true;
    void this.sockets.stop();
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
    // A connection is closed after its last reply; otherwise it would be kept alive.
    setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref();
    // A client that never finishes its request does not keep the process running.
    setTimeout(() => server.closeAllConnections(), this.config.SHUTDOWN_GRACE_MS).unref();
  }
}
