// A server with the shortest queue of connections. Tells its port, and answers every request.
const { createServer } = require('node:http');

const server = createServer((_request, reply) => reply.end('answered'));
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
