export { CustomerService, SERVICE_STATUSES, type ServiceStatus } from './customer-service.entity';
export { CustomerServiceReader, type CustomerServiceRow } from './customer-service-reader';
export { CustomerServices, type NewService, type ServiceChange, type ServiceChangeListener } from './customer-services';
export { CustomerServicesModule } from './customer-services.module';
export { CustomerServiceReaderModule } from './customer-service-reader.module';
