import { type ReportCourier } from '../shared/sms/report-courier';
import { SmsControl } from '../shared/sms/sms-control';
import { linkReports } from './link-reports';

/** Directives of this gateway besides the common ones and those about delivery reports. */
const LINK_DIRECTIVES = ['status', 'retry-after', 'result'] as const;

export class LinkControl extends SmsControl<number> {
  /** Delivery report gates, which LINK's support configures for a customer. Gate id to URL. */
  readonly gates = new Map<string, string>();

  constructor(recordLimit: number, courier: ReportCourier, usualDelayMs: number, gates: Record<string, string>) {
    super(LINK_DIRECTIVES, recordLimit, linkReports, courier, usualDelayMs);
    for (const [id, url] of Object.entries(gates)) this.gates.set(id, url);
  }
}
