import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { findInLogFiles } from '@platform/logging';
import { type RefusedRequest, RefusalsOperatorService } from '@platform/refusals';
import { AiUsageOperatorService, type CallOfRequest } from './ai-usage-operator.service';
import { SharedWork } from './shared-work';

/** Requests of one id that are shown. */
const MOST = 20;
const USUAL_DAYS = 14;

/** A request with its `outcome`: `refused`, `succeeded`, `charged` or the state of its reservation. */
export interface RequestOutcome {
  createdAt: Date;
  outcome: string;
  [detail: string]: unknown;
}

/** A request by its id, of the last days, of one customer or of all. */
export interface RequestQuestion {
  id: string;
  customerId?: string;
  days?: number;
}

/** Finds the outcomes of requests: why they were refused, the cost of their AI messages. */
@Injectable()
export class RequestOutcomesOperatorService {
  /** By the id and the days. Of all customers: an id is of one request, usually. */
  private readonly searches = new SharedWork((key: string, signal) => {
    const [id, days] = JSON.parse(key) as [string, number];
    return this.searchLog(id, days, signal);
  });

  constructor(
    private readonly refusals: RefusalsOperatorService,
    private readonly records: AiUsageOperatorService,
    private readonly config: AppConfig,
  ) {}

  /**
   * The outcomes of the requests with an id, newest first. The log files are searched once for all who ask for the same meanwhile, and no
   * longer than one of them waits. @param gone aborts when this one has gone @throws ServiceError not_found
   */
  async ofRequest(
    { id, customerId, days = USUAL_DAYS }: RequestQuestion,
    gone?: AbortSignal,
  ): Promise<RequestOutcome[]> {
    const [refused, calls] = await Promise.all([
      this.refusals.list({ requestId: id, customerId }, { limit: MOST, after: undefined }),
      this.records.ofRequest(id, days, customerId),
    ]);
    const kept = [...refused.rows.map(ofRefusal), ...calls.map(ofCall)];
    const found = kept.length > 0 ? kept : await this.logged({ id, customerId, days }, gone);
    if (found.length > 0) return found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    const { LOG_DIRECTORY, LOG_RETENTION_DAYS } = this.config;
    throw new ServiceError(
      'not_found',
      `No request with the id ${id} was refused or charged lately. ` +
        (LOG_DIRECTORY === undefined
          ? "One that succeeded and cost nothing is in the API's log only"
          : `The log files of ${Math.min(days, LOG_RETENTION_DAYS)} days have none either`),
    );
  }

  /** Requests in the log files, which have all that were answered: those too that succeeded and cost nothing. */
  private async logged(
    { id, customerId, days }: Required<Pick<RequestQuestion, 'id' | 'days'>> & RequestQuestion,
    gone: AbortSignal | undefined,
  ): Promise<RequestOutcome[]> {
    const lines = await this.searches.ask(JSON.stringify([id, days]), gone);
    return lines
      .filter(({ msg, customer_id: of }) => msg === 'request' && (customerId === undefined || of === customerId))
      .slice(0, MOST)
      .map(({ time, customer_id: of, token_id: tokenId, duration_ms: durationMs, ...line }) => ({
        createdAt: new Date(String(time)),
        outcome: Number(line.status) < 400 ? 'succeeded' : 'refused',
        ...pick(line, ['method', 'route', 'status', 'code']),
        customerId: of,
        tokenId,
        durationMs,
      }));
  }

  private async searchLog(id: string, days: number, signal: AbortSignal): Promise<Record<string, unknown>[]> {
    const { LOG_DIRECTORY } = this.config;
    if (LOG_DIRECTORY === undefined) return [];
    const text = `"request_id":${JSON.stringify(id)}`;
    return findInLogFiles(LOG_DIRECTORY, text, { days, most: 10 * MOST, signal });
  }
}

function ofRefusal({ createdAt, ...refusal }: RefusedRequest): RequestOutcome {
  return { createdAt, outcome: 'refused', ...refusal };
}

function ofCall({ state, reason, createdAt, ...call }: CallOfRequest): RequestOutcome {
  return { createdAt, outcome: state, ...call, ...(reason !== null && { detail: reason }) };
}

function pick(line: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, line[name]]));
}
