import type { AppConfig } from '@platform/config';
import { workerInternalPort } from './ports';
import type { Demo } from './demo/seed-demo';

/** The text that is printed after the start: the addresses, and a first call that works when pasted. */
export function welcome(config: AppConfig, demo: Demo | undefined): string {
  const origin = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`;
  const internal = `http://${config.INTERNAL_HOST}`;
  const lines = [
    '',
    `Customer API   ${origin}/api/v1`,
    `Swagger UI     ${origin}/docs`,
    `Metrics        ${internal}:${config.INTERNAL_PORT}/metrics, of the worker ${internal}:${workerInternalPort(config)}/metrics`,
  ];
  if (config.SANDBOX_URL) {
    lines.push('', 'SANDBOX: AI provider, SMS gateway and billing sources are simulated. Nothing is sent or charged.');
  }
  if (demo) {
    lines.push('', `Demo customer  ${demo.customerName}`, `Demo token     ${demo.token}`, '', 'Try it:');
    lines.push(`  curl -s -H 'Authorization: Bearer ${demo.token}' ${origin}/api/v1/customer`);
  }
  return `${lines.join('\n')}\n\nCtrl-C stops everything.\n`;
}
