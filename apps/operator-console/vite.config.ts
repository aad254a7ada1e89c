import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import document from '../operator-api/openapi.json' with { type: 'json' };

/** The operations that need a fresh login, such as `POST /tokens/{id}/rotate`. */
const freshLogins = Object.entries<Record<string, object>>(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, operation]) => 'x-fresh-login' in operation)
    .map(([method]) => `${method.toUpperCase()} ${path}`),
);

/** The operator API serves the built files; during development Vite serves them and hands on the rest. */
export default defineConfig({
  plugins: [react()],
  define: { FRESH_LOGINS: JSON.stringify(freshLogins) },
  // The operator API puts the nonce of each reply's content security policy in place of it.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../../dist/apps/operator-console',
    emptyOutDir: true,
    target: 'es2023',
    // Nothing inline: the content security policy allows scripts of files only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_500,
    reportCompressedSize: true,
  },
  server: { port: 5173, proxy: { '/operator': 'http://127.0.0.1:3001' } },
});
