export { SecretBox, SecretUnreadableError } from './secret-box';
export { SecretsModule } from './secrets.module';
