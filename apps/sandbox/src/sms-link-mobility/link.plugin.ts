import type { FastifyInstance } from 'fastify';
import type { ReportCourier } from '../shared/sms/report-courier';
import { type AcceptedSms, SmsControl } from '../shared/sms/sms-control';
import { LINK_RESULT, linkReports, type LinkRequest, readRequest, RefusedMessage } from './link-messages';
import { type Answer, json, replyWith } from '../shared/answer';
import { basicUser, standing } from '../shared/credentials';
import type { Directives } from '../shared/faults/directives';
import type { ReceivedRequest } from '../shared/faults/upstream-control';

/** Directives of this gateway besides the common ones and those about delivery reports. */
const LINK_DIRECTIVES = ['status', 'retry-after', 'result'] as const;

export class LinkControl extends SmsControl<number> {
  /** Delivery report gates, which LINK's support configures for a customer. Gate id to URL. */
  readonly gates = new Map<string, string>();

  constructor(recordLimit: number, courier: ReportCourier, usualDelayMs: number, gates: Record<string, string>) {
    super(LINK_DIRECTIVES, recordLimit, linkReports, courier, usualDelayMs);
    for (const [id, url] of Object.entries(gates)) this.gates.set(id, url);
  }
}

/** `POST /sms/send`. */
export function link(app: FastifyInstance, control: LinkControl): void {
  app.post('/sms/send', (request, reply) => {
    const received = control.receive(request);
    let early: Promise<void> | undefined;
    control.answer(reply, {
      find: () => control.inText(userData(received.body)),
      respond: (directives) => {
        const refusal = refuseLogin(received) ?? refuseByDirective(directives);
        if (refusal && !directives.has('sent')) return refusal;
        const answer = sendSms(received.body, control.gates, (sms) => {
          early = control.accept(sms, directives, reply);
        });
        return refusal ?? answer;
      },
      complain: (message) => failure(400, 106000, message),
      before: () => early,
    });
  });
  app.setNotFoundHandler((_request, reply) => replyWith(reply, failure(404, 106000, 'Not found')));
}

function sendSms(body: Buffer, gates: ReadonlyMap<string, string>, accept: (sms: AcceptedSms) => void): Answer {
  try {
    const request = readRequest(body, gates);
    accept(request.sms);
    return queued(request);
  } catch (error) {
    if (error instanceof RefusedMessage) return failure(400, error.resultCode, error.message);
    throw error;
  }
}

function queued({ sms, ignoreResponse, replySmsCount }: LinkRequest): Answer {
  if (ignoreResponse) return { status: 204, headers: {}, body: '' };
  return json(200, {
    messageId: sms.id,
    resultCode: LINK_RESULT.queued,
    description: 'Queued',
    ...(replySmsCount && { smsCount: sms.segments }),
  });
}

function refuseLogin({ headers }: ReceivedRequest): Answer | undefined {
  switch (standing(basicUser(headers.authorization))) {
    case 'missing':
    case 'invalid':
      return failure(401, 106100, 'Invalid authentication');
    case 'forbidden':
      return failure(403, 106101, 'Access denied');
    case 'good':
      return undefined;
  }
}

/** A result code alone is a refusal with status 200; with a status it is that status's body. */
function refuseByDirective(directives: Directives): Answer | undefined {
  const resultCode = directives.number('result');
  // The reply is the proxy's, with these faults: the gateway never received the message.
  const status = directives.has('not-json-error') ? 502 : (directives.number('status') ?? 200);
  if (status === 200 && (resultCode === undefined || resultCode === LINK_RESULT.queued)) return undefined;
  const answer = failure(status, resultCode ?? 106000, `The sandbox answers ${status}`);
  Object.assign(answer.headers, directives.retryAfter(status));
  return answer;
}

function failure(status: number, resultCode: number, description: string): Answer {
  return json(status, { resultCode, description });
}

/** The text of the message, which may contain directives; empty if the body is not valid. */
function userData(body: Buffer): string {
  try {
    const message = JSON.parse(body.toString('utf8')) as { userData?: unknown } | null;
    return typeof message?.userData === 'string' ? message.userData : '';
  } catch {
    return '';
  }
}
