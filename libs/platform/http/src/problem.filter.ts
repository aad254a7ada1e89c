import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientGoneError } from '@platform/context';
import { problemOf, sendProblem } from './problem';
import { AllowedMethods } from './routing';

/** Converts every error to problem details (RFC 9457), and logs it if the fault is ours. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);
  constructor(private readonly allowedMethods: AllowedMethods) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (isOfClientGone(error, reply)) return;
    const problem = problemOf(this.allowedMethods.explain(request, error), request.id);
    if (problem.status >= 500) {
      this.logger.error({ msg: 'request failed', err: error, request_id: request.id, code: problem.body.code });
    }
    const allow: Record<string, string> =
      problem.status === 405 ? { allow: this.allowedMethods.at(request).join(', ') } : {};
    if (!reply.sent) sendProblem(reply, { ...problem, headers: { ...problem.headers, ...allow } });
  }
}

/** Whether an error only says that the client has disconnected: no fault, and nobody to tell. */
function isOfClientGone(error: unknown, { raw }: FastifyReply): boolean {
  if (error instanceof ClientGoneError) return true;
  // A stream whose reader had gone before it began.
  return raw.destroyed && (error as { code?: string } | undefined)?.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
