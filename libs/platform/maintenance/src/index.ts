export { Backup } from './entities/backup.entity';
export { DoctorService, type Finding } from './doctor.service';
export { MaintenanceOperatorModule } from './maintenance-operator.module';
export { MaintenanceOperatorService } from './maintenance-operator.service';
export { Backups1763683201400 } from './migrations/1763683201400-backups';
