import type { UpstreamOptions, UpstreamRequest } from './upstream-options';

/** Address and headers of a request. */
export interface Target {
  origin: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Where the requests to an upstream go: below its base address, to links that it gave, and to where it redirects. */
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
  resolve({ url, path = '', headers = {} }: Pick<UpstreamRequest, 'url' | 'path' | 'headers'>): Target | undefined {
    if (!url) return { origin: this.origin, path: this.basePath + path, headers };
    if (url.protocol !== 'https:' && url.protocol !== this.base.protocol) return undefined;
    const { origin, pathname, search } = url;
    return { origin, path: pathname + search, headers: origin === this.origin ? headers : {} };
  }

  /** The target of a redirect; undefined if it is not followed. @param hop number of redirects, with this one */
  redirect(status: number, { origin, path, headers }: Target, location: string | undefined, hop: number) {
    const { redirects } = this.options;
    if (!redirects || hop > redirects.most || !REDIRECTS.includes(status)) return undefined;
    const from = new URL(origin + path);
    const to = location === undefined ? null : URL.parse(location, from.href);
    if (!to || (to.origin !== from.origin && !redirects.allowed?.(from, to))) return undefined;
    return this.resolve({ url: to, headers });
  }
}
