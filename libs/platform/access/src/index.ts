export { AccessModule } from './access.module';
export { CustomerContextInterceptor } from './customer-context.interceptor';
export { limitAddresses, RateLimitAs, RateLimitGuard } from './rate-limit.guard';
export { RateLimitStorageService } from './rate-limit-storage.service';
export {
  AnyScope,
  CheckAccessAgain,
  CurrentCustomer,
  customerByToken,
  Public,
  RequireScope,
  RouteAccessGuard,
  TokenInApiKey,
} from './route-access.guard';
