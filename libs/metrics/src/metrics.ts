import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { FastifyInstance } from 'fastify';

/** The process's Prometheus metrics. Rooms register their own here. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its reply',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Measures every request to a server. */
  observe(server: FastifyInstance): void {
    server.addHook('onResponse', (request, reply, done) => {
      const { url: route = 'unknown' } = request.routeOptions;
      this.requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
      done();
    });
  }

  /** Reports a yes-or-no state, read when the metrics are asked for. */
  reportState(name: string, help: string, read: () => boolean): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read() ? 1 : 0);
      },
    });
  }
}
