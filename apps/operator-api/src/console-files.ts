import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { AppConfig } from '@platform/config';
import { acceptedWeights, isDocumentation } from '@platform/http';

/** Stands in the page for the nonce of its reply. */
const NONCE_MARK = '__CSP_NONCE__';

/** The console as its build leaves it, beside the compiled programs. Tests run the sources, beside which are the console's. */
const FOLDERS = [join(__dirname, '..', '..', 'operator-console'), resolve('dist', 'apps', 'operator-console')];

/** The console's files, once they are built: `npm start` builds them while the programs run already. */
class BuiltConsole {
  private found?: { folder: string; page: string };

  constructor(private readonly folders: readonly string[]) {}

  find(): { folder: string; page: string } | undefined {
    for (const folder of this.found ? [] : this.folders) {
      const index = join(folder, 'index.html');
      const page = existsSync(index) ? readFileSync(index, 'utf8') : '';
      if (!page.includes(NONCE_MARK)) continue;
      this.found = { folder, page };
      break;
    }
    return this.found;
  }
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the styles of the page that is its reply. */
    styleNonce?: string;
  }
}

/**
 * Sets the headers that protect the console's pages: only scripts of our own files run, only styles with the nonce of the
 * reply apply, nothing is sent elsewhere, and no other site can embed or read anything.
 */
export function protectPages(server: FastifyInstance, { OPERATOR_URL }: AppConfig): void {
  const isHttps = URL.parse(OPERATOR_URL ?? '')?.protocol === 'https:';
  server.addHook('onRequest', (request, reply, done) => {
    // The documentation has a policy of its own. By the route: `/docsx` is the console's page.
    if (!isDocumentation(request)) {
      request.styleNonce = randomBytes(16).toString('base64');
      reply.header('content-security-policy', policyFor(request.styleNonce));
      reply.header('x-frame-options', 'DENY');
      reply.header('referrer-policy', 'no-referrer');
    }
    reply.header('cross-origin-opener-policy', 'same-origin');
    reply.header('cross-origin-resource-policy', 'same-origin');
    reply.header('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=()');
    if (isHttps) reply.header('strict-transport-security', 'max-age=31536000');
    done();
  });
}

function policyFor(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Serves the console's files, if it is built. Every address without a file that asks for a page gets the console's page. */
export function serveConsole(server: FastifyInstance, folders: readonly string[] = FOLDERS): void {
  const built = new BuiltConsole(folders);
  server.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return;
    const { is404, headers, url } = request;
    const console = is404 ? built.find() : undefined;
    if (console === undefined) return;
    const { folder, page } = console;
    const path = fileOf(folder, url);
    if (path !== undefined) {
      const forEver = url.startsWith('/assets/');
      reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'no-cache');
      return reply.type(TYPES[extname(path)] ?? 'application/octet-stream').send(await readFile(path));
    }
    // The address alone is the page's, whoever asks: `curl` names no type.
    const isPage = url === '/' || acceptedWeights(headers.accept ?? '').has('text/html');
    if (!/^\/(operator|docs|health|assets)\//.test(url) && isPage)
      return reply.type('text/html; charset=utf-8').send(page.replaceAll(NONCE_MARK, request.styleNonce ?? ''));
  });
}

/** The file at an address; undefined if there is none in the folder. */
function fileOf(folder: string, url: string): string | undefined {
  const [path = ''] = url.split('?', 1);
  if (!/^\/[\w./-]+$/.test(path)) return undefined;
  const file = resolve(folder, `.${path}`);
  const isInside = file.startsWith(folder + sep);
  return isInside && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}
