import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Deliveries that the page shows. */
const MOST_SHOWN = 100;
/** Difference of a signature's time from now at which it does not hold any more, in seconds. */
const TOLERANCE = 300;

/** Whether a delivery's signature holds. */
type Verdict = 'signature holds' | 'wrong signature' | 'no secret known' | 'too old';

/** A delivery that arrived. */
export interface ReceivedWebhook {
  /** When it arrived, RFC 3339. */
  at: string;
  id: string;
  type: string;
  verdict: Verdict;
  /** How often this id arrived before. */
  repeated: number;
  body: string;
}

/** The receiver: what arrived, and the secrets that it verifies with. */
export class WebhookReceiverControl {
  received: ReceivedWebhook[] = [];
  private secrets: Buffer[] = [];

  /** Sets the secrets of the endpoints that send here (`whsec_…`). */
  setSecrets(secrets: readonly string[]): void {
    this.secrets = secrets.map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
  }

  receive({ headers, body }: FastifyRequest): ReceivedWebhook {
    const text = Buffer.isBuffer(body) ? body.toString() : '';
    const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`] ?? ''),
    ) as [string, string, string];
    const webhook: ReceivedWebhook = {
      at: new Date().toISOString(),
      id,
      type: typeOf(text),
      verdict: this.verify(`${id}.${timestamp}.${text}`, Number(timestamp), signatures),
      repeated: this.received.filter((former) => former.id === id).length,
      body: text,
    };
    this.received = [webhook, ...this.received].slice(0, MOST_SHOWN);
    return webhook;
  }

  reset(): void {
    this.received = [];
    this.secrets = [];
  }

  private verify(signed: string, timestamp: number, signatures: string): Verdict {
    if (this.secrets.length === 0) return 'no secret known';
    const given = signatures.split(' ').map((signature) => Buffer.from(signature.replace(/^v1,/, ''), 'base64'));
    const holds = this.secrets.some((secret) => {
      const own = createHmac('sha256', secret).update(signed).digest();
      return given.some((signature) => signature.length === own.length && timingSafeEqual(signature, own));
    });
    if (!holds) return 'wrong signature';
    return Math.abs(Date.now() / 1000 - timestamp) <= TOLERANCE ? 'signature holds' : 'too old';
  }
}

/**
 * A customer's system that receives webhooks (Standard Webhooks 1.0), with a page that shows them. `POST …/hook` answers 204 if the
 * signature holds, else 401.
 */
export function webhookReceiver(app: FastifyInstance, control: WebhookReceiverControl): void {
  app.post('/hook', (request, reply) => {
    const { verdict } = control.receive(request);
    return reply.status(verdict === 'signature holds' ? 204 : 401).send();
  });
  app.put('/secrets', (request, reply) => {
    const secrets = secretsIn(request.body);
    if (!secrets) return reply.status(400).send({ error: 'Send a JSON array of secrets' });
    control.setSecrets(secrets);
    return reply.status(204).send();
  });
  app.get('/received', () => control.received);
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(page(control.received)));
}

function secretsIn(body: unknown): string[] | undefined {
  try {
    const value: unknown = JSON.parse(String(body));
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

function typeOf(body: string): string {
  try {
    return String((JSON.parse(body) as { type?: unknown }).type);
  } catch {
    return 'not JSON';
  }
}

function page(received: readonly ReceivedWebhook[]): string {
  const rows = received.map(({ at, type, id, verdict, repeated, body }) => {
    const cells = [at, type, id, verdict, repeated > 0 ? `repetition ${repeated}` : ''].map(
      (text) => `<td>${escape(text)}</td>`,
    );
    return `<tr class="${verdict === 'signature holds' ? 'good' : 'bad'}">${cells.join('')}<td><pre>${escape(indented(body))}</pre></td></tr>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Received webhooks</title>
<style>body{font:14px sans-serif}td,th{text-align:left;vertical-align:top;padding:4px 12px 4px 0}.bad td:nth-child(4){color:#b00}.good td:nth-child(4){color:#070}pre{margin:0}</style>
<h1>Received webhooks (sandbox)</h1><p>${received.length === 0 ? 'Nothing has arrived yet.' : `The last ${received.length}, newest first.`}</p>
<table><tr><th>arrived</th><th>type</th><th>webhook-id</th><th>signature</th><th></th><th>body</th></tr>${rows.join('\n')}</table></html>`;
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
