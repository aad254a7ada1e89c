/**
 * The provider's public prices in USD per million tokens, as read on 2026-11-20. Examples for trying the service; the
 * operator sets what customers are charged.
 */
export const EXAMPLE_PRICES_USD = [
  { model: 'claude-opus-5', input: '5', cacheWrite5m: '6.25', cacheWrite1h: '10', cacheRead: '0.5', output: '25' },
  { model: 'claude-sonnet-4-5', input: '3', cacheWrite5m: '3.75', cacheWrite1h: '6', cacheRead: '0.3', output: '15' },
  { model: 'claude-haiku-4-5', input: '1', cacheWrite5m: '1.25', cacheWrite1h: '2', cacheRead: '0.1', output: '5' },
] as const;
