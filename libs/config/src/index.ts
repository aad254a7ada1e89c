export { ConfigModule } from './config.module';
export { AppConfig } from './app-config';
export { ConfigError, loadConfig } from './load-config';
export { configSchema } from './schema';
export { loadLocalServices, saveLocalServices, LOCAL_SERVICES_FILE, type LocalServices } from './local-services';
