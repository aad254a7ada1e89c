import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { RequestWithBody } from './request-body.guard';

/** A body that has come within this time is that of a request of the moment at which its access was judged. */
const PROMPT_BODY_MS = 50;

/** A guard that judges the access of a request, as often as it is asked. */
interface AccessGuard extends CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean>;
}

/**
 * Judges the access once more when the body was long in coming, which its sender decides: nothing may be done with a token or a session that
 * was ended meanwhile. The guard after that of the body.
 */
export class AfterBodyGuard implements CanActivate {
  constructor(private readonly access: AccessGuard) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.getArgByIndex<RequestWithBody>(0);
    return (request.bodyWaitMs ?? 0) < PROMPT_BODY_MS || this.judgeAgain(context, request);
  }

  private async judgeAgain(context: ExecutionContext, { bodyLease }: RequestWithBody): Promise<boolean> {
    try {
      return await this.access.canActivate(context);
    } catch (error) {
      bodyLease?.release();
      throw error;
    }
  }
}
