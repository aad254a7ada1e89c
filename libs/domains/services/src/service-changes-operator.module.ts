import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { SecretsModule } from '@platform/secrets';
import { CustomerServiceEntity } from './entities/customer-service.entity';
import { ServiceChangesOperatorService } from './operator/service-changes-operator.service';

/** Changes of services. Programs that only read services import `ServicesOperatorModule`. */
@Module({})
export class ServiceChangesOperatorModule {
  /** @param includedCredit the module that exports the {@link IncludedCreditPort} */
  static with(includedCredit: Type): DynamicModule {
    return {
      module: ServiceChangesOperatorModule,
      imports: [TypeOrmModule.forFeature([CustomerServiceEntity]), AuditModule, SecretsModule, includedCredit],
      providers: [ServiceChangesOperatorService],
      exports: [ServiceChangesOperatorService],
    };
  }
}
