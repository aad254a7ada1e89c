export { AccessModule } from './access.module';
export { limitAddresses } from './address-limit';
export { BearerGuard, customerByToken } from './bearer.guard';
export { CustomerContextInterceptor } from './customer-context.interceptor';
export { CustomerRateLimitGuard } from './customer-rate-limit.guard';
export { RateLimitStorageService } from './rate-limit-storage.service';
export { AnyScope, CurrentCustomer, Public, RateLimitAs, RequireScope, TokenInApiKey } from './route-access';
