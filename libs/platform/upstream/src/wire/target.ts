import type { UpstreamOptions, UpstreamRequest } from '../upstream-options';

/** Address and headers of a request. */
export interface Target {
  origin: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** The base address of an upstream, and the allowed addresses. */
export class Targets {
  private readonly base: URL;
  private readonly origin: string;
  private readonly basePath: string;

  constructor(private readonly options: Pick<UpstreamOptions, 'baseUrl' | 'redirects'>) {
    this.base = new URL(options.baseUrl);
    this.origin = this.base.origin;
    this.basePath = this.base.pathname.replace(/\/$/, '');
  }

  /**
   * Resolves a request's address. Headers, with the credentials, are sent to the upstream's own origin only. Undefined
   * for an unsafe address.
   */
  of({ url, path = '', headers = {} }: UpstreamRequest): Target | undefined {
    if (!url) return { origin: this.origin, path: this.basePath + path, headers };
    if (url.protocol !== 'https:' && url.protocol !== this.base.protocol) return undefined;
    const { origin, pathname, search } = url;
    return { origin, path: pathname + search, headers: origin === this.origin ? headers : {} };
  }

  /** The target of a redirect; undefined if it is not followed. */
  next({ origin, path, headers }: Target, location: string | undefined, hop: number): Target | undefined {
    const { redirects } = this.options;
    const from = new URL(origin + path);
    const to = location === undefined ? null : URL.parse(location, from.href);
    if (!redirects || !to || hop > redirects.most) return undefined;
    if (to.origin !== from.origin && !redirects.allowed?.(from, to)) return undefined;
    return this.of({ operation: '', method: 'GET', url: to, headers });
  }
}

/** Whether a status is a redirect. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.includes(status);
}
