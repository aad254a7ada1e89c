export { InternalListenerModule } from './internal-listener.module';
export { InternalListenerService } from './internal-listener.service';
