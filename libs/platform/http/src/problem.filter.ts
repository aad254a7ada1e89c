import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
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
    const problem = problemOf(this.allowedMethods.explain(request, error), request.id);
    if (problem.status >= 500) {
      this.logger.error({ msg: 'request failed', err: error, request_id: request.id, code: problem.body.code });
    }
    const allow: Record<string, string> =
      problem.status === 405 ? { allow: this.allowedMethods.at(request).join(', ') } : {};
    if (!reply.sent) sendProblem(reply, { ...problem, headers: { ...problem.headers, ...allow } });
  }
}
