import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { OperatorAccount } from './entities/operator-account.entity';
import { OperatorLoginAttempt } from './entities/operator-login-attempt.entity';
import { OperatorLoginLink } from './entities/operator-login-link.entity';
import { OperatorPasskey } from './entities/operator-passkey.entity';
import { OperatorRequestKey } from './entities/operator-request-key.entity';
import { OperatorSession } from './entities/operator-session.entity';
import { LoginAttemptsService } from './login-attempts.service';
import { OperatorAccountsService } from './operator-accounts.service';
import { OperatorPasskeysService } from './operator-passkeys.service';
import { OperatorRequestKeysService } from './operator-request-keys.service';
import { OperatorSessionsService } from './operator-sessions.service';

const ENTITIES = [
  ...[OperatorAccount, OperatorLoginAttempt, OperatorLoginLink, OperatorPasskey, OperatorRequestKey, OperatorSession],
];
const SERVICES = [
  ...[LoginAttemptsService, OperatorAccountsService, OperatorPasskeysService, OperatorRequestKeysService],
  OperatorSessionsService,
];

/** Accounts of the operator's people: invitations, logins, sessions. */
@Module({ imports: [TypeOrmModule.forFeature(ENTITIES), AuditModule], providers: SERVICES, exports: SERVICES })
export class OperatorAccountsModule {}
