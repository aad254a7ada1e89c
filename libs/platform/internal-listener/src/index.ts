export { InternalListenerModule } from './internal-listener.module';
export { InternalListener } from './internal-listener.service';
