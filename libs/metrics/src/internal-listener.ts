import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { fastify, type FastifyInstance } from 'fastify';
import { AppConfig } from '@app/config';
import { Metrics } from './metrics';

/**
 * A second HTTP server for the operator's own network: metrics, and reports from gateways. It is never published.
 * Rooms add their routes before the application has started.
 */
@Injectable()
export class InternalListener implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly server: FastifyInstance = fastify({ forceCloseConnections: true });

  constructor(
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    this.server.get('/metrics', async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.server.listen({ host: this.config.INTERNAL_HOST, port: this.config.INTERNAL_PORT });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server.close();
  }
}
