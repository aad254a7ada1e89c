import { normalizeIp } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';

/** The network that an address stands for: IPv6 addresses count by their /64 prefix, which one customer controls. */
export function networkOf({ ip }: FastifyRequest): string {
  return normalizeIp(ip);
}

/** Who pays for a request: its customer or, if it has none, its network. */
export function partyOf(request: FastifyRequest): string {
  return request.customer?.customerId ?? networkOf(request);
}
