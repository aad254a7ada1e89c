import { Module } from '@nestjs/common';
import { RequestPipelineModule } from '../request-pipeline.module';
import { LoginController } from './login.controller';
import { LoginsService } from './logins.service';
import { OidcService } from './oidc.service';
import { SessionsController } from './sessions.controller';

@Module({
  imports: [RequestPipelineModule],
  controllers: [LoginController, SessionsController],
  providers: [LoginsService, OidcService],
})
export class LoginModule {}
