export { ContextModule } from './context.module';
export { CustomerContextService, logFields, type WorkContext } from './customer-context.service';
