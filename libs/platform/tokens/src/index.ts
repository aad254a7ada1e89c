export type { AuthenticatedCustomer, RefusedToken, TokenRefusal } from './authenticated-customer';
export { TokenAuthenticatorService } from './token-authenticator.service';
export { announceTokenChange, TokenChangeListenerService } from './token-change-listener.service';
export { ServiceTokenUse } from './entities/service-token-use.entity';
export { ServiceToken } from './entities/service-token.entity';
export {
  type IssuedToken,
  TOKEN_NAME_MAX,
  type TokenName,
  TokensOperatorService,
  type TokenSummary,
} from './tokens-operator.service';
export { isScope, type Scope, SCOPES } from './scopes';
export {
  fingerprintOf,
  generateToken,
  hashRange,
  hashToken,
  isFingerprint,
  isWellFormed,
  TOKEN_PREFIX,
} from './token-format';
export { TokenNamesService } from './token-names.service';
export { TokensOperatorModule } from './tokens-operator.module';
export { TokensModule } from './tokens.module';
export { TokensSchema1763683200200 } from './migrations/1763683200200-tokens';
export { ToldTokenExpiries1763683201630 } from './migrations/1763683201630-told-token-expiries';
