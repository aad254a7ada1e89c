export { ContextModule } from './context.module';
export { ClientGoneError, CustomerContextService, logFields, type WorkContext } from './customer-context.service';
