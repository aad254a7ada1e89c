export { SecretBox, SecretUnreadableError } from './secret-box';
export { REDACTED, SecretRedactor } from './secret-redactor';
export { SecretsModule } from './secrets.module';
