export { ConfigModule } from './config.module';
export { ConfigError, givenSettings, loadConfig } from './load-config';
export { orSandbox, SANDBOX_CREDENTIAL } from './or-sandbox';
export { AppConfig } from './schema';
export { configuredSecrets } from './secret-settings';
export { loadLocalServices, saveLocalServices, withLocalServices, type LocalServices } from './local-services';
