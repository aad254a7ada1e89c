import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { until } from '@test/until';
import { LoadShedder } from '../overload/load-shedder';
import { addLoadShedding } from './load-shedding';

describe('requests that the load shedder counts as finished', () => {
  let server: FastifyInstance;
  let port: number;
  let finished: jest.SpyInstance;
  let arrived = 0;

  beforeAll(async () => {
    const shedder = new LoadShedder({ targetMs: 100, standingMs: 1000 });
    finished = jest.spyOn(shedder, 'finish');
    server = fastify();
    server.addHook('onRequest', (request, reply, done) => {
      if (request.url === '/refused') void reply.code(429).send();
      else done();
    });
    addLoadShedding(server, shedder);
    server.get('/health/live', () => 'alive');
    server.get('/served', () => 'served');
    server.get('/endless', () => {
      arrived++;
      return new Promise(() => undefined);
    });
    await server.listen({ port: 0 });
    ({ port } = server.server.address() as AddressInfo);
  });
  afterAll(() => server.close());
  beforeEach(() => finished.mockClear());

  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();

  it('are those that it accepted: none that another limit refused, no health check', async () => {
    for (const path of ['/refused', '/health/live', '/served']) await get(path);
    await until(() => finished.mock.calls.length > 0);
    expect(finished).toHaveBeenCalledTimes(1);
  });

  it('include those whose client disconnected', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /endless HTTP/1.1\r\nhost: a\r\n\r\n');
    await until(() => arrived === 1);
    expect(finished).not.toHaveBeenCalled();
    socket.destroy();
    await once(socket, 'close');
    await until(() => finished.mock.calls.length > 0);
    expect(finished).toHaveBeenCalledTimes(1);
  });
});
