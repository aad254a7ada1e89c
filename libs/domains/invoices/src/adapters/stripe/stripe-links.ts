/** Where PDF links of Stripe may lead. */
export interface StripeLinkSettings {
  /** Base address of the API: what is at the same origin is allowed, which is how a stand-in serves files. */
  url: string;
  /** Host names; their subdomains count as well. */
  pdfHosts: readonly string[];
}

/**
 * Whether a link that Stripe gave, or was redirected to, leads to Stripe: by HTTPS to one of its hosts. A link is data of a
 * reply: without this it would have us fetch any address, in our own network too.
 */
export function isStripeLink(link: URL, { url, pdfHosts }: StripeLinkSettings): boolean {
  if (link.origin === new URL(url).origin) return true;
  if (link.protocol !== 'https:' || link.port !== '' || link.username !== '' || link.password !== '') return false;
  return pdfHosts.some((host) => link.hostname === host || link.hostname.endsWith(`.${host}`));
}
