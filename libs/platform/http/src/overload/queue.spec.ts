import { Controller, Get, Head, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { queueOf, WaitsFor } from './queue';

@Controller()
class Routes {
  @Get('get')
  get(): void {
    // Only asked for its queue.
  }
  @Head('head')
  head(): void {
    // Likewise.
  }
  @Post('post')
  post(): void {
    // Likewise.
  }
  @Post('declared')
  @WaitsFor('ledger')
  declared(): void {
    // Likewise.
  }
}

@Module({ controllers: [Routes] })
class RoutesModule {}

describe('what a request waits for', () => {
  let app: NestFastifyApplication;
  const seen: string[] = [];

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(RoutesModule, new FastifyAdapter(), { logger: false });
    const server = app.getHttpAdapter().getInstance();
    server.addHook('onRequest', (request, _reply, done) => {
      seen.push(queueOf(request));
      done();
    });
    await app.init();
    await server.ready();
  });
  afterAll(() => app.close());

  it.each([
    ['GET', '/get', 'reads'],
    ['HEAD', '/head', 'reads'],
    ['POST', '/post', 'writes'],
    ['POST', '/declared', 'ledger'],
    ['GET', '/nowhere', 'reads'],
  ] as const)('%s %s: %s', async (method, url, queue) => {
    await app.inject({ method, url });
    expect(seen.pop()).toBe(queue);
  });
});
