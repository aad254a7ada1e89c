import { isStripeLink } from './stripe.adapter';

const settings = { url: 'https://api.stripe.com', pdfHosts: ['stripe.com'] };
const allowed = (link: string, url = settings.url) => isStripeLink(new URL(link), { ...settings, url });

describe('isStripeLink', () => {
  it.each([
    'https://pay.stripe.com/invoice/acct_1/live_x/pdf?s=ap',
    'https://files.stripe.com/links/x',
    'https://stripe.com/x',
    'https://API.stripe.com:443/x',
  ])('allows %s', (link) => expect(allowed(link)).toBe(true));

  it.each([
    'http://pay.stripe.com/x',
    'https://pay.stripe.com:8443/x',
    'https://stripe.com.evil.example/x',
    'https://evilstripe.com/x',
    'https://pay.stripe.com@evil.example/x',
    'https://me:secret@pay.stripe.com/x',
    'https://127.0.0.1/x',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]:9464/metrics',
    'file:///etc/passwd',
    'ftp://pay.stripe.com/x',
  ])('refuses %s', (link) => expect(allowed(link)).toBe(false));

  it('allows the origin of a stand-in, and no other port of its host', () => {
    expect(allowed('http://127.0.0.1:4010/pdf', 'http://127.0.0.1:4010')).toBe(true);
    expect(allowed('http://127.0.0.1:9464/metrics', 'http://127.0.0.1:4010')).toBe(false);
  });
});
