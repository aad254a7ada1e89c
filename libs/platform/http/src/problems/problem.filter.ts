import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ROOT_LOGGER, type RootLogger } from '@platform/logging';
import { AllowedMethods } from '../routing/allowed-methods';
import { problemOf } from './problem';
import { sendProblem } from './send-problem';

/** Converts every error to problem details (RFC 9457), and logs it if the fault is ours. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(ROOT_LOGGER) private readonly logger: RootLogger,
    private readonly allowedMethods: AllowedMethods,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = problemOf(this.allowedMethods.explain(request, error), request.id);
    if (problem.status >= 500) {
      this.logger.error({ err: error, request_id: request.id, code: problem.body.code }, 'request failed');
    }
    const allow: Record<string, string> =
      problem.status === 405 ? { allow: this.allowedMethods.at(request).join(', ') } : {};
    if (!reply.sent) sendProblem(reply, { ...problem, headers: { ...problem.headers, ...allow } });
  }
}
