import { AiOperatorModule } from '@domains/ai';
import { InvoicesOperatorModule } from '@domains/invoices';
import { SmsOperatorModule } from '@domains/sms';
import { DoctorService, MaintenanceOperatorModule } from '@platform/maintenance';
import { CustomerDataOperatorModule } from '@schema';

/** The other modules add their checks. */
export const modules = [
  MaintenanceOperatorModule,
  CustomerDataOperatorModule,
  AiOperatorModule,
  SmsOperatorModule,
  InvoicesOperatorModule,
];
export const services = { doctor: DoctorService };
