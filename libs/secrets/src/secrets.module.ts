import { Module } from '@nestjs/common';
import { SecretBox } from './secret-box';

/** Encryption of stored secrets. */
@Module({ providers: [SecretBox], exports: [SecretBox] })
export class SecretsModule {}
