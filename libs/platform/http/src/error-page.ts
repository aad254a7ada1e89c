import type { FastifyInstance } from 'fastify';
import { ERROR_PAGE, type ErrorCatalogEntry } from '@platform/errors';

/** The page has no scripts and no external resources. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
  h2 { margin-top: 2.5rem; }
  h2 a { color: inherit; text-decoration: none; }
  section:target { background: #fff6d6; box-shadow: 0 0 0 1rem #fff6d6; }
  code { font-size: 0.95em; }
`;

/** An interface and its codes. */
export interface ErrorPageParts {
  title: string;
  errors: Readonly<Record<string, ErrorCatalogEntry>>;
}

/** Serves the error catalogue that every problem's `type` links to. */
export function serveErrorPage(server: FastifyInstance, parts: ErrorPageParts): void {
  const page = errorPage(parts);
  server.get(ERROR_PAGE, (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page),
  );
}

/** The page that explains every code of the catalogue; the `type` of a problem links to the code's section. */
export function errorPage({ title, errors }: ErrorPageParts): string {
  const entries = Object.entries(errors).sort(([, one], [, other]) => one.status - other.status);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: errors</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Errors</h1>
<p>An error is a problem document (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>), unless the description
of its operation has another form. Programs look at
<code>code</code>, which never changes its meaning; people read <code>detail</code>, which explains this occurrence,
and <code>errors</code>, which points at the fields. Quote <code>request_id</code> to the operator. The operations are at
<a href="/docs">/docs</a>.</p>
${entries.map(sectionOf).join('\n')}
</body>
</html>
`;
}

function sectionOf([code, { status, title, advice, example }]: [string, ErrorCatalogEntry]): string {
  return `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a> (${status})</h2>
<p>${escaped(title)}.</p>
<p><strong>Remedy:</strong> ${escaped(advice)}</p>
<p>For example: <q>${escaped(example)}</q></p>
</section>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
