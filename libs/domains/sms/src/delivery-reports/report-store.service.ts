import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PIPELINE_SETTINGS, type PipelineSettings, PipelinedConnectionsService } from '@platform/database';
import { newsValues, RECORD_OUTCOME, type SmsNews } from '../customer/sending/sms-store.service';

/**
 * Stores delivery reports, on a connection of their own: a gateway that sends them by the thousand takes no customer's place
 * in line, and customers without end do not make it send them all again.
 */
@Injectable()
export class ReportStoreService implements OnApplicationShutdown {
  private readonly connections: PipelinedConnectionsService;

  constructor(@Inject(PIPELINE_SETTINGS) { client }: PipelineSettings) {
    this.connections = new PipelinedConnectionsService({ client, size: 1 });
  }

  /** Adds news to a customer's message. @returns whether there is one with this id from this gateway. */
  async add(customerId: string, smsId: string, gateway: string, news: SmsNews): Promise<boolean> {
    // Without a time zone: what was handed over counts, also if it never arrives.
    const values = [customerId, smsId, gateway, ...newsValues(news), null];
    return (await this.connections.single(RECORD_OUTCOME, values)).length === 1;
  }

  onApplicationShutdown(): Promise<void> {
    return this.connections.onApplicationShutdown();
  }
}
