import { Module } from '@nestjs/common';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { DoctorService } from '../doctor.service';

@Module({ imports: [MaintenanceOperatorModule], providers: [DoctorService], exports: [DoctorService] })
class DoctorModule {}

export const modules = [DoctorModule];
export const services = { doctor: DoctorService };
