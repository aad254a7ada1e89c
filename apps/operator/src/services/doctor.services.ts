import { DoctorService, MaintenanceOperatorModule } from '@platform/maintenance';

export const modules = [MaintenanceOperatorModule];
export const services = { doctor: DoctorService };
