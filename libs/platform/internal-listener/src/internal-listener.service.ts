import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { fastify, type FastifyError, type FastifyInstance } from 'fastify';
import { AppConfig } from '@platform/config';
import { Metrics } from '@platform/metrics';

/**
 * A second HTTP server for the operator's own network: metrics, health, and delivery reports. It is never published.
 * Modules add their routes before the application has started.
 */
@Injectable()
export class InternalListenerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(InternalListenerService.name);
  readonly server: FastifyInstance = fastify({ forceCloseConnections: true });

  constructor(
    private readonly config: AppConfig,
    metrics: Metrics,
  ) {
    // Gateways post here through the proxy: an error reply reveals no internal details.
    this.server.setErrorHandler((error: FastifyError, _request, reply) => {
      const status = error.statusCode ?? 500;
      if (status >= 500) this.logger.error({ msg: 'a request to the internal listener failed', err: error });
      return reply.code(status).send({ status: 'error' });
    });
    this.server.get('/metrics', async ({ headers }, reply) => {
      const timeoutSeconds = Number(headers['x-prometheus-scrape-timeout-seconds']);
      return reply.type(metrics.registry.contentType).send(await metrics.text(timeoutSeconds));
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.server.listen({ host: this.config.INTERNAL_HOST, port: this.config.INTERNAL_PORT });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server.close();
  }
}
