export { ConfigModule } from './config.module';
export { AppConfig } from './app-config';
export { ConfigError, loadConfig } from './load-config';
export { orSandbox, SANDBOX_CREDENTIAL } from './or-sandbox';
export { configSchema } from './schema';
export { configuredSecrets, SECRET_SETTINGS } from './secret-settings';
export { loadLocalServices, saveLocalServices, withLocalServices, type LocalServices } from './local-services';
