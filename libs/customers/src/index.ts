export { Customer } from './customer.entity';
export { CustomerProfiles, type CustomerProfile } from './customer-profiles';
export { Customers, type CustomerLimits, type NewCustomer } from './customers';
export { CustomersModule } from './customers.module';
export { CustomerProfilesModule } from './customer-profiles.module';
export { isOrganizationNumber } from './organization-number';
export { lockCustomer } from './lock-customer';
