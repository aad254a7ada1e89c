import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** An alert as Alertmanager posts it. */
interface PostedAlert {
  status: 'firing' | 'resolved';
  labels: Record<string, string>;
}

/** Receives the alerts that Alertmanager sends, as a chat or a pager would. */
export interface AlertReceiver {
  url: string;
  /** Whether such an alert fires at present, as far as it was told. @param labels some of its labels */
  fires(alert: string, labels?: Record<string, string>): boolean;
  /** Everything received, in order: `firing JobFails`. */
  received: string[];
  close(): Promise<void>;
}

export async function startAlertReceiver(): Promise<AlertReceiver> {
  const open = new Map<string, PostedAlert>();
  const received: string[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      for (const alert of (body as { alerts: PostedAlert[] }).alerts) {
        const key = JSON.stringify(Object.entries(alert.labels).sort());
        received.push(`${alert.status} ${alert.labels.alertname}`);
        if (alert.status === 'firing') open.set(key, alert);
        else open.delete(key);
      }
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    fires: (alert, labels = {}) =>
      [...open.values()].some(({ labels: own }) =>
        Object.entries({ alertname: alert, ...labels }).every(([name, value]) => own[name] === value),
      ),
    received,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
