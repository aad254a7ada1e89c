import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { PIPELINE_SETTINGS, type PipelineSettings, PipelinedConnectionsService } from '@platform/database';
import { readElksReport } from '../adapters/elks.adapter';
import { readLinkReport } from '../adapters/link-mobility.adapter';
import { SmsOutcomeStoreService, type SmsStatusUpdate } from '../customer/sms-outcome-store.service';
import type { DeliveryReport } from '../ports/sms-gateway.port';
import { ReportReferencesService } from './report-references.service';

/** Result of a delivery report: stored, malformed, forged (not signed by us), or about an unknown message. */
export type ReportResult = 'stored' | 'malformed' | 'forged' | 'unknown_message';

/**
 * Receives delivery reports from gateways: in any order, any number of times, even before the reply to the send. They are
 * stored on a separate connection: thousands of reports do not delay customers, and a high load of customers does not make
 * gateways repeat their reports.
 */
@Injectable()
export class DeliveryReportsService implements OnApplicationShutdown {
  private readonly logger = new Logger(DeliveryReportsService.name);
  private readonly connections: PipelinedConnectionsService;

  constructor(
    private readonly references: ReportReferencesService,
    private readonly outcomes: SmsOutcomeStoreService,
    @Inject(PIPELINE_SETTINGS) { client }: PipelineSettings,
  ) {
    this.connections = new PipelinedConnectionsService({ client, size: 1 });
  }

  /** A report of 46elks; `reference` is the end of the address that it was posted to. */
  fromElks(reference: string, body: string): Promise<ReportResult> {
    return this.handle('46elks', readElksReport(reference, body));
  }

  /** A report of LINK Mobility. */
  fromLink(body: string): Promise<ReportResult> {
    return this.handle('link-mobility', readLinkReport(body));
  }

  onApplicationShutdown(): Promise<void> {
    return this.connections.onApplicationShutdown();
  }

  private async handle(gateway: string, report: DeliveryReport | undefined): Promise<ReportResult> {
    if (!report) return 'malformed';
    const sms = this.references.read(report.reference);
    if (!sms) {
      this.logger.warn({ msg: 'a delivery report with a forged or foreign reference was refused', gateway });
      return 'forged';
    }
    const { customerId, smsId } = sms;
    if (await this.add(customerId, smsId, gateway, report)) return 'stored';
    this.logger.warn({
      msg: 'a delivery report is about an unknown message',
      gateway,
      customer_id: customerId,
      sms_id: smsId,
    });
    return 'unknown_message';
  }

  /** Stores a new status of a customer's message. @returns whether there is a message with this id from this gateway */
  private async add(customerId: string, smsId: string, gateway: string, update: SmsStatusUpdate): Promise<boolean> {
    // Without a billing time zone: a message that failed to arrive still counts for its day.
    const outcome = this.outcomes.statement(smsId, gateway, update, null);
    return (await this.connections.write(customerId, outcome)).length === 1;
  }
}
