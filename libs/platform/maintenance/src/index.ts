export { Backup } from './entities/backup.entity';
export { DoctorService, type Finding } from './doctor.service';
export { failed, off, ok, type Outcome, tryConnection, tryCredentials, warning } from './installation-check';
export { MaintenanceOperatorModule } from './maintenance-operator.module';
export { MaintenanceOperatorService } from './maintenance-operator.service';
export { Backups1763683201400 } from './migrations/1763683201400-backups';
export { ScheduledBackups1763683206100 } from './migrations/1763683206100-scheduled-backups';
