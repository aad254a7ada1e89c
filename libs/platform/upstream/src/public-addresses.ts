import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address of a host, as a lookup returns it. */
export interface HostAddress {
  address: string;
  family: 4 | 6;
}

/** Finds all addresses of a name. @throws an error with a code of c-ares, such as ENOTFOUND */
export type ResolveName = (name: string) => Promise<HostAddress[]>;

/** Code of the error of a lookup that found an address which is not public. */
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

/**
 * Before the codes of errors of a lookup that found none: they are not those of the system, and ECONNREFUSED is of the name server, not of
 * the receiver.
 */
export const LOOKUP_FAILED = 'DNS_';

/** Of no reply from the name servers. */
export const LOOKUP_TIMEOUT = 'ETIMEOUT';

/** Addresses of hosts in the internet; those outside have a purpose of their own, such as translation to IPv4. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Maximum length of an address that a customer names. */
export const URL_MAX = 2000;

/**
 * Whether a packet to this address leaves for the internet: unicast, and no form that contains or is translated to another address
 * (IPv4-mapped, NAT64, 6to4, Teredo). IPv6 has more of such forms than the ranges of the package name, so only its global part counts.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

/**
 * Why nothing is sent to an address: the rest of a sentence that begins with it; undefined if it may be sent to. Names are not
 * resolved: {@link publicLookup} checks their addresses when a connection is made.
 * @param privateAllowed whether http and addresses that are not public are allowed
 */
export function refusalOf(text: string, { privateAllowed }: { privateAllowed: boolean }): string | undefined {
  if (text.length > URL_MAX) return `must have at most ${URL_MAX} characters`;
  const url = URL.parse(text);
  // The parser writes decimal, octal, hexadecimal and short forms of IPv4 addresses in the usual one.
  if (!url?.hostname || !/^https?:\/\//i.test(text)) return 'must be an https address';
  if (url.protocol !== 'https:' && !privateAllowed) return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.hash !== '') return 'must not contain a fragment';
  if (privateAllowed) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : 'must not be a private or reserved address';
  return host.includes('.') && !/(^|\.)(localhost|local|internal)$/i.test(host)
    ? undefined
    : 'must have a host name of the internet';
}

/**
 * An address as requests are sent to it, or the fault for which nothing is, as {@link refusalOf} says it. The URL parser reads a backslash as
 * a slash, say, and drops line breaks, so that another host may be the real one than a person reads. One without a path stays without.
 */
export function addressInUse(
  text: string,
  options: { privateAllowed: boolean },
): { address: string; fault?: undefined } | { fault: string } {
  const used = URL.parse(text)?.href ?? text;
  const address = used === `${text}/` ? text : used;
  const fault = refusalOf(text, options) ?? refusalOf(address, options);
  return fault === undefined ? { address } : { fault };
}

/**
 * A lookup for connections that fails unless every address of the name is public. The connection is made to one of the addresses
 * that were checked, so a name that changes in between leads nowhere else.
 */
export function publicLookup(resolve: ResolveName): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || addresses.some(({ address }) => !isPublicAddress(address))) {
          callback(Object.assign(new Error('The address is not public'), { code: ADDRESS_REFUSED }), '', 0);
        } else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (cause: unknown) => {
        const code = LOOKUP_FAILED + ((cause as NodeJS.ErrnoException).code ?? 'FAILED');
        callback(Object.assign(new Error('The look-up of the name failed', { cause }), { code }), '', 0);
      },
    );
  };
}

/** Milliseconds until a name server is asked again, once. */
const NAME_SERVER_MS = 1_500;

/** Milliseconds that the addresses of IPv6 may take longer than those of IPv4. Some name servers never answer the question for them. */
const IPV6_WAIT_MS = 500;

/**
 * Asks the name servers themselves: the system's look-up would occupy one of the process's few threads for as long as a slow name
 * server likes, and knows names of its own host and network. Addresses that come too late are not used.
 * @param servers name servers, instead of the system's; for tests
 */
export async function resolveInternetName(name: string, servers?: readonly string[]): Promise<HostAddress[]> {
  const resolver = new Resolver({ timeout: NAME_SERVER_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  const ipv6 = resolver.resolve6(name);
  // It may fail while nobody waits for it yet.
  ipv6.catch(() => undefined);
  const [ipv4] = await Promise.allSettled([resolver.resolve4(name)]);
  let timer: NodeJS.Timeout | undefined;
  if (ipv4.status === 'fulfilled') timer = setTimeout(() => resolver.cancel(), IPV6_WAIT_MS);
  const [further] = await Promise.allSettled([ipv6]);
  clearTimeout(timer);
  if (ipv4.status === 'rejected' && further.status === 'rejected')
    throw (further.reason as NodeJS.ErrnoException).code === LOOKUP_TIMEOUT ? further.reason : ipv4.reason;
  return [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(further.status === 'fulfilled' ? further.value.map((address) => ({ address, family: 6 as const })) : []),
  ];
}
