/** Where links to Stripe's PDFs may lead. */
export interface StripeLinkSettings {
  /** Base address of the API: its origin is allowed, because the sandbox serves files there. */
  url: string;
  /** Host names; their subdomains count as well. */
  pdfHosts: readonly string[];
}

/**
 * Whether a link or redirect from Stripe leads to Stripe: by HTTPS to one of its hosts. A link is untrusted data:
 * without this check the service could be made to fetch any address, in its own network too.
 */
export function isStripeLink(link: URL, { url, pdfHosts }: StripeLinkSettings): boolean {
  if (link.origin === new URL(url).origin) return true;
  if (link.protocol !== 'https:' || link.port !== '' || link.username !== '' || link.password !== '') return false;
  return pdfHosts.some((host) => link.hostname === host || link.hostname.endsWith(`.${host}`));
}
