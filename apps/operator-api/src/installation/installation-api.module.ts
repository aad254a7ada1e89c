import { Module } from '@nestjs/common';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { CustomersOperatorModule } from '@domains/customers';
import { InstallationController } from './installation.controller';

@Module({
  imports: [MaintenanceOperatorModule, CustomersOperatorModule],
  controllers: [InstallationController],
})
export class InstallationApiModule {}
