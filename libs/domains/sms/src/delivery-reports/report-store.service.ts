import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PIPELINE_SETTINGS, type PipelineSettings, PipelinedConnectionsService, prepared } from '@platform/database';
import { updateValues, RECORD_OUTCOME, type SmsStatusUpdate } from '../customer/sending/sms-store.service';

const RECORD = prepared('sms.record-report', `select from ${RECORD_OUTCOME}`);

/**
 * Stores delivery reports on a separate connection: thousands of reports do not delay customers, and a high load of
 * customers does not make gateways repeat their reports.
 */
@Injectable()
export class ReportStoreService implements OnApplicationShutdown {
  private readonly connections: PipelinedConnectionsService;

  constructor(@Inject(PIPELINE_SETTINGS) { client }: PipelineSettings) {
    this.connections = new PipelinedConnectionsService({ client, size: 1 });
  }

  /** Stores a new status of a customer's message. @returns whether there is a message with this id from this gateway */
  async add(customerId: string, smsId: string, gateway: string, update: SmsStatusUpdate): Promise<boolean> {
    // Without a billing time zone: a message that failed to arrive still counts for its day.
    const values = [customerId, smsId, gateway, ...updateValues(update), null];
    return (await this.connections.single(RECORD, values)).length === 1;
  }

  onApplicationShutdown(): Promise<void> {
    return this.connections.onApplicationShutdown();
  }
}
