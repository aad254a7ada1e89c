import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { InternalListenerService } from '@platform/internal-listener';
import { DeliveryReportsService, type ReportResult } from '@domains/sms';

/** The status that a gateway gets. A gateway reports again later unless it is 200. */
const STATUS: Record<ReportResult, number> = { stored: 200, malformed: 400, forged: 401, unknown_message: 404 };

/** Receives delivery reports from gateways, on the internal listener. */
@Injectable()
export class DeliveryReportReceiver implements OnModuleInit {
  constructor(
    private readonly listener: InternalListenerService,
    private readonly reports: DeliveryReportsService,
  ) {}

  onModuleInit(): void {
    void this.listener.server.register(
      (server, _options, done) => {
        this.addRoutes(server);
        done();
      },
      { prefix: '/sms/delivery-reports' },
    );
  }

  private addRoutes(server: FastifyInstance): void {
    // The gateway's adapter parses the body; gateways send different content types.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 64 * 1024 }, (_request, body, done) =>
      done(null, body),
    );
    server.post<{ Params: { reference: string }; Body: string | undefined }>(
      '/46elks/:reference',
      async ({ params, body }, reply) =>
        reply.code(STATUS[await this.reports.fromElks(params.reference, body ?? '')]).send(),
    );
    server.post<{ Body: string | undefined }>('/link-mobility', async ({ body }, reply) =>
      reply.code(STATUS[await this.reports.fromLink(body ?? '')]).send(),
    );
  }
}
