/** orval: plain functions over fetch. The address is put in front of the paths when the client is made. */
export default {
  api: {
    input: 'openapi.json',
    output: { target: 'orval/api.ts', client: 'fetch', mode: 'single', baseUrl: process.env.BASE_URL },
  },
};
