import { Injectable, Logger } from '@nestjs/common';
import type { DeliveryReport } from '../ports/sms-gateway.port';
import { readElksReport } from '../adapters/elks/elks-report';
import { readLinkReport } from '../adapters/link-mobility/link-report';
import { ReportReferencesService } from './report-references.service';
import { ReportStoreService } from './report-store.service';

/** Result of a delivery report: stored, malformed, forged (not signed by us), or about an unknown message. */
export type ReportResult = 'stored' | 'malformed' | 'forged' | 'unknown_message';

/** Receives delivery reports from gateways: in any order, any number of times, even before the reply to the send. */
@Injectable()
export class DeliveryReportsService {
  private readonly logger = new Logger(DeliveryReportsService.name);
  constructor(
    private readonly references: ReportReferencesService,
    private readonly store: ReportStoreService,
  ) {}

  /** A report of 46elks; `reference` is the end of the address that it was posted to. */
  fromElks(reference: string, body: string): Promise<ReportResult> {
    return this.handle('46elks', readElksReport(reference, body));
  }

  /** A report of LINK Mobility. */
  fromLink(body: string): Promise<ReportResult> {
    return this.handle('link-mobility', readLinkReport(body));
  }

  private async handle(gateway: string, report: DeliveryReport | undefined): Promise<ReportResult> {
    if (!report) return 'malformed';
    const sms = this.references.read(report.reference);
    if (!sms) {
      this.logger.warn({ msg: 'a delivery report with a forged or foreign reference was refused', gateway });
      return 'forged';
    }
    const { customerId, smsId } = sms;
    if (await this.store.add(customerId, smsId, gateway, report)) return 'stored';
    this.logger.warn({
      msg: 'a delivery report is about an unknown message',
      gateway,
      customer_id: customerId,
      sms_id: smsId,
    });
    return 'unknown_message';
  }
}
