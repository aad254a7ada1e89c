import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { RequestWithBody } from '@platform/http';
import { TokenAuthenticatorService } from '@platform/tokens';
import { RouteAccessGuard } from './route-access.guard';

/** A body that has come within this time is that of a request of the moment at which its token was judged. */
const PROMPT_BODY_MS = 50;

/**
 * Judges the token once more when the body was long in coming, which its sender decides: nothing may be done with a token, or for a
 * customer, that was deactivated meanwhile. The guard after that of the body.
 */
@Injectable()
export class AccessAfterBodyGuard implements CanActivate {
  private readonly guard: RouteAccessGuard;

  constructor(authenticator: TokenAuthenticatorService) {
    this.guard = new RouteAccessGuard(authenticator);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.getArgByIndex<RequestWithBody>(0);
    return (request.bodyWaitMs ?? 0) < PROMPT_BODY_MS || this.judgeAgain(context, request);
  }

  private async judgeAgain(context: ExecutionContext, { bodyLease }: RequestWithBody): Promise<boolean> {
    try {
      return await this.guard.canActivate(context);
    } catch (error) {
      bodyLease?.release();
      throw error;
    }
  }
}
