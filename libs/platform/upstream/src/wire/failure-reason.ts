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

/** How far an attempt had come. */
export interface Progress {
  /** Something of the request was written to a connection. */
  sent: boolean;
  /** The head of the reply was there. */
  begun: boolean;
  secure: boolean;
}

/** What an error of the network or of the protocol means. */
export function failureReason(error: unknown, progress: Progress): { reason: UpstreamFailureReason; code?: string } {
  const code = codeOf(error);
  // The parser gives some of its errors no code.
  if (code === undefined && error instanceof Error && error.name === 'HTTPParserError') return { reason: 'not_http' };
  return { reason: reasonOf(code, progress), ...(code !== undefined && { code }) };
}

function reasonOf(code = '', { sent, begun, secure }: Progress): UpstreamFailureReason {
  // A connection that stood may still time out below HTTP, which is no failure to connect.
  if (code === 'ETIMEDOUT' && sent) return begun ? 'cut_off' : 'disconnected';
  const known = REASONS[code];
  if (known) return known;
  if (TLS.test(code)) return 'tls';
  if (code.startsWith('HPE_')) return 'not_http';
  if (begun) return 'cut_off';
  // Ended while TLS was being agreed on.
  return !sent && secure ? 'tls' : 'disconnected';
}

/** The code of an error; that of the first where several addresses were tried. */
function codeOf(error: unknown): string | undefined {
  const inner = error instanceof AggregateError ? ((error.errors[0] as unknown) ?? error) : error;
  const code = (inner as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
