import { Module } from '@nestjs/common';
import { DoctorService } from '../doctor.service';

@Module({ providers: [DoctorService], exports: [DoctorService] })
class DoctorModule {}

export const modules = [DoctorModule];
export const services = { doctor: DoctorService };
