/** @hey-api/openapi-ts: requests and replies are checked with zod at run time. */
export default {
  input: 'openapi.json',
  output: 'hey-api',
  logs: { file: false, level: 'silent' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }],
};
