/** Why a token is refused. */
export type TokenRefusal = 'expired' | 'deactivated' | 'unknown' | 'not_a_token';

/** A token that is not valid. */
export class RefusedToken {
  constructor(readonly reason: TokenRefusal) {}
}
