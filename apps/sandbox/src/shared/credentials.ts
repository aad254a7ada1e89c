/** How an upstream judges a credential. Every credential is valid, except those that contain one of two words. */
export type Standing = 'missing' | 'invalid' | 'forbidden' | 'good';

export function standing(credential: string | undefined): Standing {
  if (!credential) return 'missing';
  if (credential.includes('sandbox-invalid')) return 'invalid';
  if (credential.includes('sandbox-forbidden')) return 'forbidden';
  return 'good';
}

/** User name and password of a `Basic` header. */
export function basicCredentials(authorization: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/** The user name of a `Basic` header that also has a password. */
export function basicUser(authorization: string | undefined): string | undefined {
  const credentials = basicCredentials(authorization);
  return credentials?.password ? credentials.user : undefined;
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1];
}
