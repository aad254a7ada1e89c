import { Inject, Injectable } from '@nestjs/common';
import { ROOT_LOGGER, type RootLogger } from '@platform/logging';
import type { DeliveryReport } from '../ports/sms-gateway.port';
import { readElksReport } from '../adapters/elks/elks-report';
import { readLinkReport } from '../adapters/link-mobility/link-report';
import { ReportReferencesService } from './report-references.service';
import { ReportStoreService } from './report-store.service';

/** What became of a delivery report: taken in, not a report, not signed by us, or about a message that is not there. */
export type ReportResult = 'stored' | 'malformed' | 'forged' | 'unknown_message';

/** Takes in what gateways report of messages, in any order, any number of times, even before the send was answered. */
@Injectable()
export class DeliveryReportsService {
  constructor(
    private readonly references: ReportReferencesService,
    private readonly store: ReportStoreService,
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
  ) {}

  /** A report of 46elks; `reference` is the end of the address it came to. */
  fromElks(reference: string, body: string): Promise<ReportResult> {
    return this.takeIn('46elks', readElksReport(reference, body));
  }

  /** A report of LINK Mobility. */
  fromLink(body: string): Promise<ReportResult> {
    return this.takeIn('link-mobility', readLinkReport(body));
  }

  private async takeIn(gateway: string, report: DeliveryReport | undefined): Promise<ReportResult> {
    if (!report) return 'malformed';
    const sms = this.references.read(report.reference);
    if (!sms) {
      this.logger.warn({ gateway }, 'a delivery report with a forged or foreign reference was refused');
      return 'forged';
    }
    const { customerId, smsId } = sms;
    if (await this.store.add(customerId, smsId, gateway, report)) return 'stored';
    this.logger.warn({ gateway, customer_id: customerId, sms_id: smsId }, 'a delivery report is about no message');
    return 'unknown_message';
  }
}
