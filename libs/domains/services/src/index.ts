export { CustomerServiceEntity, SERVICE_STATUSES, type ServiceStatus } from './entities/customer-service.entity';
export { configFault, SERVICE_NAME_MAX, SERVICE_TYPE_MAX } from './service-values';
export { ServicesService, type CustomerServiceRow } from './customer/services.service';
export { ServicesOperatorService, type ServiceFilter, type ServiceType } from './operator/services-operator.service';
export {
  ServiceChangesOperatorService,
  setInConfig,
  type NewService,
  type ServiceChange,
} from './operator/service-changes-operator.service';
export { IncludedCreditPort } from './ports/included-credit.port';
export { ServicesOperatorModule } from './services-operator.module';
export { ServiceChangesOperatorModule } from './service-changes-operator.module';
export { ServicesModule } from './services.module';
export { ServicesSchema1763683200300 } from './migrations/1763683200300-services';
export { ServiceTypes1763683204300 } from './migrations/1763683204300-service-types';
