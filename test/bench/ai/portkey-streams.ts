/**
 * Loaded into Portkey before it starts: without it, version 1.15 answers every stream of the Messages API with 500. It adds
 * headers to what `fetch` returned, and takes the reply's own, which are immutable, if its HTTP server is @hono/node-server
 * 1.19. Only streams get headers of their own; what that costs is a copy of three headers.
 */
const { fetch } = globalThis;

globalThis.fetch = async (...request) => {
  const reply = await fetch(...request);
  if (reply.headers.get('content-type')?.startsWith('text/event-stream'))
    Object.defineProperty(reply, 'headers', { value: new Headers(reply.headers) });
  return reply;
};
