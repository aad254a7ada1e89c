import { connect } from 'node:net';

/** The result of a check: `off` for a part that is not set up, `warning` for one that works and may not for long. */
export interface Outcome {
  result: 'ok' | 'off' | 'warning' | 'failed';
  detail: string;
}

export const ok = (detail: string): Outcome => ({ result: 'ok', detail });
export const off = (detail: string): Outcome => ({ result: 'off', detail });
export const warning = (detail: string): Outcome => ({ result: 'warning', detail });
export const failed = (detail: string): Outcome => ({ result: 'failed', detail });

/** Longest that another system may take to answer. */
const PATIENCE_MS = 10_000;
/** Ports of addresses that name none. */
const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80, 'redis:': 6379, 'rediss:': 6379 };

/** Makes a request that only reads. The reply's text is not shown: it may repeat the credentials. */
export async function tryCredentials(address: string, headers: Record<string, string>): Promise<Outcome> {
  const { host } = new URL(address);
  try {
    const reply = await fetch(address, { headers, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    await reply.body?.cancel();
    if (reply.ok) return ok(`${host} takes the credentials`);
    const refuses = reply.status === 401 || reply.status === 403;
    return failed(`${host} answers ${reply.status}${refuses ? ': it refuses the credentials' : ''}`);
  } catch (error) {
    return failed(`${host} cannot be reached (${codeOf(error)})`);
  }
}

/** Opens a connection, and closes it: for a system of which a request with the credentials would change something. */
export function tryConnection(address: string): Promise<Outcome> {
  const { hostname, host, port, protocol } = new URL(address);
  // An IPv6 address is in brackets there.
  const target = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host: target, port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    socket.once('connect', () => {
      socket.destroy();
      resolve(ok(`${host} takes connections`));
    });
    socket.once('error', (error) => resolve(failed(`${host} cannot be reached (${codeOf(error)})`)));
  });
}

function codeOf(error: unknown): string {
  const { name, code, cause } = error as Error & { code?: string; cause?: { code?: string } };
  return code ?? cause?.code ?? name;
}
