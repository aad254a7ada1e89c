import { similarAddress } from './routing';

const ROUTES = [
  '/api/v1/ai',
  '/api/v1/ai/messages',
  '/api/v1/ai/credit-requests',
  '/api/v1/ai/credit-requests/:id',
  '/api/v1/customer',
  '/api/v1/support/tickets',
  '/api/v1/sms/send',
  '/docs',
  '/health/live',
].map((url) => ({ method: 'GET', url, pattern: new RegExp(`^${url.replace(/:\w+/, '[^/]+')}$`) }));

describe('a similar address', () => {
  it.each([
    ['/customer', '/api/v1/customer'],
    ['/v1/customer', '/api/v1/customer'],
    ['/api/customer', '/api/v1/customer'],
    ['/api/v2/customer', '/api/v1/customer'],
    ['/api/v1/api/v1/customer', '/api/v1/customer'],
    ['/api/v1/customer/', '/api/v1/customer'],
    ['/api/v1//customer', '/api/v1/customer'],
    ['/api/v1/Customer', '/api/v1/customer'],
    ['/API/V1/customer', '/api/v1/customer'],
    ['/api/v1/customers', '/api/v1/customer'],
    ['/api/v1/tickets', '/api/v1/support/tickets'],
    ['/api/v1/credit-requests', '/api/v1/ai/credit-requests'],
    ['/api/v1/ai/credit_requests', '/api/v1/ai/credit-requests'],
    ['/api/v1/ai/credit-requests/17/', '/api/v1/ai/credit-requests/17'],
    ['/ai/credit-requests/17', '/api/v1/ai/credit-requests/17'],
    ['/api/v1/sms', '/api/v1/sms/send'],
    ['/ai', '/api/v1/ai'],
  ])('to %s is %s', (path, address) => expect(similarAddress(path, ROUTES)).toBe(address));

  it.each(['/', '/api', '/api/v1', '/nothing', '/wp-admin/setup.php', `/customer${'/'.repeat(300)}`, '/docs/x'])(
    'to %s is none',
    (path) => expect(similarAddress(path, ROUTES)).toBeUndefined(),
  );
});
