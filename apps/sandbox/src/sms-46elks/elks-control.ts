import { type ReportCourier } from '../shared/sms/report-courier';
import { SmsControl } from '../shared/sms/sms-control';
import { elksReports, type ElksStatus } from './elks-reports';

/** Directives of this gateway besides the common ones and those about delivery reports. */
const ELKS_DIRECTIVES = ['status', 'retry-after', 'no-credits', 'refusal', 'reply-status'] as const;

export class ElksControl extends SmsControl<ElksStatus> {
  constructor(recordLimit: number, courier: ReportCourier, usualDelayMs: number) {
    super(ELKS_DIRECTIVES, recordLimit, elksReports, courier, usualDelayMs);
  }
}
