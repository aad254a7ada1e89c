import { Module } from '@nestjs/common';
import { TokensOperatorModule } from '@platform/tokens';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { TokensController } from './tokens.controller';

@Module({
  imports: [TokensOperatorModule, CustomerNamesModule],
  controllers: [TokensController],
})
export class TokensApiModule {}
