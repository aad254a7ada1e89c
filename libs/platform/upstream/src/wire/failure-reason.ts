import type { UpstreamFailureReason } from '../upstream-call-error';

const REASONS: Record<string, UpstreamFailureReason> = {
  ENOTFOUND: 'no_such_name',
  EAI_AGAIN: 'no_such_name',
  EAI_FAIL: 'no_such_name',
  EAI_NODATA: 'no_such_name',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout_connect',
  UND_ERR_CONNECT_TIMEOUT: 'timeout_connect',
  UND_ERR_HEADERS_TIMEOUT: 'timeout_first_byte',
  UND_ERR_BODY_TIMEOUT: 'timeout_idle',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'cut_off',
  UND_ERR_DESTROYED: 'shutdown',
  UND_ERR_CLOSED: 'shutdown',
  HPE_INVALID_EOF_STATE: 'cut_off',
};
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

/** How far an attempt got. */
export interface Progress {
  /** Whether anything of the request was written to a connection. */
  sent: boolean;
  /** Whether the head of the reply was received. */
  begun: boolean;
  secure: boolean;
}

/** The reason for an error of the network or the protocol. */
export function failureReason(error: unknown, progress: Progress): { reason: UpstreamFailureReason; code?: string } {
  const code = codeOf(error);
  // Some parser errors have no code.
  if (code === undefined && error instanceof Error && error.name === 'HTTPParserError') return { reason: 'not_http' };
  return { reason: reasonOf(code, progress), ...(code !== undefined && { code }) };
}

function reasonOf(code = '', { sent, begun, secure }: Progress): UpstreamFailureReason {
  // An open connection may still time out below HTTP, which is not a failure to connect.
  if (code === 'ETIMEDOUT' && sent) return begun ? 'cut_off' : 'disconnected';
  const known = REASONS[code];
  if (known) return known;
  if (TLS.test(code)) return 'tls';
  if (code.startsWith('HPE_')) return 'not_http';
  if (begun) return 'cut_off';
  // Closed during the TLS handshake.
  return !sent && secure ? 'tls' : 'disconnected';
}

/** The code of an error; that of the first one if several addresses were tried. */
function codeOf(error: unknown): string | undefined {
  const inner = error instanceof AggregateError ? ((error.errors[0] as unknown) ?? error) : error;
  const code = (inner as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
