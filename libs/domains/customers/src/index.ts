export { Customer } from './entities/customer.entity';
export { CUSTOMER_NAME_MAX, CUSTOMER_NUMBER_MAX } from './customer-values';
export { CustomerProfileService, type CustomerProfile } from './customer/customer-profile.service';
export {
  AmbiguousCustomerError,
  CustomerLookupOperatorService,
  type CustomerName,
} from './operator/customer-lookup-operator.service';
export {
  CustomersOperatorService,
  type CustomerFilter,
  type CustomerLimits,
} from './operator/customers-operator.service';
export { CustomerImportOperatorService, type ImportedLine } from './operator/customer-import-operator.service';
export { type CustomerLine, type NewCustomer } from './operator/new-customer';
export { CustomersOperatorModule } from './customers-operator.module';
export { CustomersModule } from './customers.module';
export { NUMBER_AND_NAME } from './operator/customers-operator.service';
export { lockCustomer, requireCustomer, unknownCustomer } from './operator/existing-customer';
export { CustomersSchema1763683200100 } from './migrations/1763683200100-customers';
export { CustomerInbox1763683203600 } from './migrations/1763683203600-customer-inbox';
export { CustomerSearch1763683204600 } from './migrations/1763683204600-customer-search';
