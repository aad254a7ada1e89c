export { ConfigModule } from './config.module';
export { API_PREFIX, customerApiAddress, customerOrigin } from './customer-api-address';
export { ConfigError, loadConfig, settingsWithFiles } from './load-config';
export { type Access, orSandbox, SANDBOX_CREDENTIAL } from './or-sandbox';
export { AppConfig, type ConfigSection, configSections } from './schema';
export { configuredSecrets } from './secret-settings';
export {
  loadLocalServices,
  type LocalServices,
  saveLocalServices,
  savePrivately,
  withLocalServices,
} from './local-services';
