import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { ServiceToken } from './service-token.entity';
import { ServiceTokenUse } from './service-token-use.entity';
import { ServiceTokens } from './service-tokens';

/** Issuing and ending service tokens, for the operator's programs. */
@Module({
  imports: [TypeOrmModule.forFeature([ServiceToken, ServiceTokenUse]), AuditModule],
  providers: [ServiceTokens],
  exports: [ServiceTokens],
})
export class ServiceTokensModule {}
