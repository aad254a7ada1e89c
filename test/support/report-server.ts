import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeliveryReportsService, ReportResult } from '@domains/sms';

/** Receives delivery reports on its own port, like the internal listener. */
export interface ReportServer {
  url: string;
  /** Result of each report, oldest first. */
  results: ReportResult[];
  serve(reports: DeliveryReportsService): void;
  close(): Promise<void>;
}

const ELKS = '/sms/delivery-reports/46elks/';

export async function startReportServer(): Promise<ReportServer> {
  let reports: DeliveryReportsService | undefined;
  const results: ReportResult[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const path = request.url ?? '';
      const taken = path.startsWith(ELKS) ? reports?.fromElks(path.slice(ELKS.length), body) : reports?.fromLink(body);
      void taken?.then((result) => {
        results.push(result);
        response.writeHead(200).end();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    results,
    serve: (given) => (reports = given),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
