import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { x } from '@app/config';
@Module({})
class AppModule {}
void NestFactory.create(AppModule, new FastifyAdapter()).then(async (a) => { await a.listen(0); console.log(x, await a.getUrl()); await a.close(); });
