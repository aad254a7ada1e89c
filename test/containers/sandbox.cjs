// The stand-ins for the upstreams, for other containers: they listen on the loopback address only.
const { fork } = require('node:child_process');
const { connect, createServer } = require('node:net');

fork(`${__dirname}/../../dist/apps/sandbox/src/main.js`, ['--port', '4009'], { stdio: 'inherit' });
createServer((caller) => {
  const upstream = connect(4009, '127.0.0.1');
  const end = () => [caller, upstream].forEach((socket) => socket.destroy());
  caller.on('error', end).pipe(upstream).on('error', end).pipe(caller);
}).listen(4010);
