import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Backup } from './entities/backup.entity';
import { DoctorService } from './doctor.service';
import { MaintenanceOperatorService } from './maintenance-operator.service';

/** The state of backups, disk and certificate: the operator's side. */
@Module({
  imports: [TypeOrmModule.forFeature([Backup])],
  providers: [DoctorService, MaintenanceOperatorService],
  exports: [DoctorService, MaintenanceOperatorService],
})
export class MaintenanceOperatorModule {}
