export { CustomerServiceEntity, SERVICE_STATUSES, type ServiceStatus } from './entities/customer-service.entity';
export { ServicesService, type CustomerServiceRow } from './customer/services.service';
export {
  ServicesOperatorService,
  type NewService,
  type ServiceChange,
  type ServiceChangeListener,
  type ServiceFilter,
  type ServiceType,
} from './operator/services-operator.service';
export { ServicesOperatorModule } from './services-operator.module';
export { ServicesModule } from './services.module';
export { ServicesSchema1763683200300 } from './migrations/1763683200300-services';
export { ServiceTypes1763683204300 } from './migrations/1763683204300-service-types';
