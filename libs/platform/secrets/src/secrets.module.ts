import { Module } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { SecretBox } from './secret-box';
import { SecretRedactor } from './secret-redactor';

/** Encryption of stored secrets, and redaction of texts. */
@Module({
  providers: [
    SecretBox,
    {
      provide: SecretRedactor,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => SecretRedactor.forSettings(config),
    },
  ],
  exports: [SecretBox, SecretRedactor],
})
export class SecretsModule {}
