import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportCourier } from '../shared/sms/report-courier';
import { type AcceptedSms, SmsControl } from '../shared/sms/sms-control';
import { createdReply, elksReports, type ElksStatus, elksTime, readForm, RefusedForm } from './elks-messages';
import { type Answer, json, plainText, replyWith } from '../shared/answer';
import { basicUser, standing } from '../shared/credentials';
import type { Directives } from '../shared/faults/directives';
import type { ReceivedRequest } from '../shared/faults/upstream-control';

/** Directives of this gateway besides the common ones and those about delivery reports. */
const ELKS_DIRECTIVES = ['status', 'retry-after', 'no-credits', 'refusal', 'reply-status'] as const;

export class ElksControl extends SmsControl<ElksStatus> {
  constructor(recordLimit: number, courier: ReportCourier, usualDelayMs: number) {
    super(ELKS_DIRECTIVES, recordLimit, elksReports, courier, usualDelayMs);
  }
}

/** `POST /a1/sms` (46elks answers to `/a1/SMS` as well). */
export function elks(app: FastifyInstance, control: ElksControl): void {
  const send = (request: FastifyRequest, reply: FastifyReply) => {
    const received = control.receive(request);
    let early: Promise<void> | undefined;
    control.answer(reply, {
      find: () => control.inText(new URLSearchParams(received.body.toString('utf8')).get('message') ?? ''),
      respond: (directives) => {
        const refusal = refuseLogin(received) ?? refuseByDirective(directives);
        if (refusal && !directives.has('sent')) return refusal;
        const answer = sendSms(received.body, directives, (sms) => {
          early = control.accept(sms, directives, reply);
        });
        return refusal ?? answer;
      },
      complain: (message) => plainText(400, message),
      before: () => early,
    });
  };
  app.post('/a1/sms', send);
  app.post('/a1/SMS', send);
  app.setNotFoundHandler((_request, reply) => replyWith(reply, plainText(404, 'Not found')));
}

function sendSms(body: Buffer, directives: Directives, accept: (sms: AcceptedSms) => void): Answer {
  try {
    const sms = readForm(body);
    accept(sms);
    return json(200, createdReply(sms, directives.text('reply-status') ?? 'created', elksTime(new Date())));
  } catch (error) {
    if (error instanceof RefusedForm) return plainText(error.status, error.message);
    throw error;
  }
}

function refuseLogin({ headers }: ReceivedRequest): Answer | undefined {
  switch (standing(basicUser(headers.authorization))) {
    case 'missing':
    case 'invalid':
      return plainText(401, 'API access requires Basic HTTP authentication. Read documentation or examples.');
    case 'forbidden':
      return plainText(403, 'This account may not send SMS');
    case 'good':
      return undefined;
  }
}

function refuseByDirective(directives: Directives): Answer | undefined {
  if (directives.has('no-credits')) return plainText(403, 'Not enough credits');
  const text = directives.text('refusal');
  if (text !== undefined) return plainText(400, text);
  // The reply is the proxy's, with these faults: the gateway never received the message.
  const status = directives.has('not-json-error') ? 502 : directives.number('status');
  if (status === undefined || status === 200) return undefined;
  return plainText(status, `The sandbox answers ${status}`, directives.retryAfter(status));
}
