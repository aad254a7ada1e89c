// An identity provider with people of its own, for the test of the operator's login. Its login page takes any name that it knows.
import { createServer } from 'node:http';
import { URL } from 'node:url';
import Provider from 'oidc-provider';

const [issuer, redirectUri] = process.argv.slice(2);
const { port, pathname } = new URL(issuer);
/** People by the name that they log in with; the claims are what the provider says of them. */
const PEOPLE = {
  kari: { email: 'kari.nordmann@example.com', email_verified: true, preferred_username: 'kari', role: 'billing' },
  // Of several roles the strongest counts.
  ola: {
    email: 'ola@example.com',
    email_verified: true,
    preferred_username: 'ola',
    role: ['viewer', 'admin', 'unknown'],
  },
  // The provider knows this person from ten minutes ago.
  early: { email: 'early@example.com', email_verified: true, preferred_username: 'early', role: 'billing' },
  guest: { email: 'guest@example.com', email_verified: true },
  forger: { email: 'kari.nordmann@example.com', email_verified: false, role: 'admin' },
};

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'console',
      client_secret: 'a-secret-of-the-console-and-the-provider',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
  ],
  claims: { openid: ['sub', 'role', 'email', 'email_verified', 'preferred_username'], email: [], profile: [] },
  // In the ID token too.
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ['a key for the cookies of a test'] },
  findAccount(context, id) {
    const { session } = context.oidc;
    if (id === 'early' && session) session.loginTs = Math.floor(Date.now() / 1000) - 600;
    return PEOPLE[id] && { accountId: id, claims: () => ({ sub: `subject-of-${id}`, ...PEOPLE[id] }) };
  },
});
const handle = provider.callback();
createServer((request, response) => {
  // The library learns its folder from the difference.
  request.originalUrl = request.url;
  if (request.url.startsWith(pathname)) request.url = `/${request.url.slice(pathname.length)}`;
  handle(request, response);
}).listen(Number(port), () => process.send?.('ready'));
