export { ContextModule } from './context.module';
export {
  ClientGoneError,
  CustomerContextService,
  logFields,
  NO_CUSTOMER,
  type WorkContext,
} from './customer-context.service';
