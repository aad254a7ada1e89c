export { ContextModule } from './context.module';
export { CustomerContextService } from './customer-context.service';
export { logFields } from './log-fields';
export type { WorkContext } from './work-context';
