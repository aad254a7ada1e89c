import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The operator API serves the built files; during development Vite serves them and hands on the rest. */
export default defineConfig({
  plugins: [react()],
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
