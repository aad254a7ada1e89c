import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RefusedRequest } from './entities/refused-request.entity';
import { RefusalsOperatorService } from './refusals-operator.service';

/** Lists refused requests, and deletes old ones: the operator's side. */
@Module({
  imports: [TypeOrmModule.forFeature([RefusedRequest])],
  providers: [RefusalsOperatorService],
  exports: [RefusalsOperatorService],
})
export class RefusalsOperatorModule {}
