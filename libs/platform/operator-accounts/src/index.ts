export { OperatorAccount } from './entities/operator-account.entity';
export { OperatorPasskey } from './entities/operator-passkey.entity';
export { OperatorRequestKey } from './entities/operator-request-key.entity';
export { type LoginMethod, OperatorSession } from './entities/operator-session.entity';
export { LoginAttemptsService } from './login-attempts.service';
export { OperatorAccounts1763683203000 } from './migrations/1763683203000-operator-accounts';
export { AskedLogins1763683204000 } from './migrations/1763683204000-asked-logins';
export { IdentityIssuers1763683207000 } from './migrations/1763683207000-identity-issuers';
export { type Invitation, type InvitedAccount, OperatorAccountsService } from './operator-accounts.service';
export { OperatorAccountsModule } from './operator-accounts.module';
export { OperatorPasskeysService, type PasskeySite } from './operator-passkeys.service';
export { OperatorRequestKeysService } from './operator-request-keys.service';
export { isOperatorRole, OPERATOR_ROLES, type OperatorRole } from './operator-roles';
export {
  ASKED_WITHIN_SECONDS,
  type AuthenticatedOperator,
  type Browser,
  FRESH_MINUTES,
  OperatorSessionsService,
  SESSION_HOURS,
} from './operator-sessions.service';
