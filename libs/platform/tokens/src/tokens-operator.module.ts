import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { ServiceToken } from './entities/service-token.entity';
import { ServiceTokenUse } from './entities/service-token-use.entity';
import { TokensOperatorService } from './tokens-operator.service';

/** The operator's side: issuing, rotating and deactivating tokens. */
@Module({
  imports: [TypeOrmModule.forFeature([ServiceToken, ServiceTokenUse]), AuditModule],
  providers: [TokensOperatorService],
  exports: [TokensOperatorService],
})
export class TokensOperatorModule {}
