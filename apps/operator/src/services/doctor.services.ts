import { AiOperatorModule } from '@domains/ai';
import { InvoicesOperatorModule } from '@domains/invoices';
import { SmsOperatorModule } from '@domains/sms';
import { DoctorService, MaintenanceOperatorModule } from '@platform/maintenance';

/** The domains' modules add their checks. */
export const modules = [MaintenanceOperatorModule, AiOperatorModule, SmsOperatorModule, InvoicesOperatorModule];
export const services = { doctor: DoctorService };
