import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { rulesOf } from '@platform/http';

/** A route of a controller with its declared access. */
export interface DeclaredRoute {
  /** Such as `GET /api/v1/customer`. */
  route: string;
  /** A scope, `any`, `public`, or `nothing`: such a route is always refused. */
  access: string;
  /** Such as `CustomerController.getCustomer`. */
  handler: string;
}

/** Every route of every controller of the application. */
export function declaredRoutes(app: NestFastifyApplication, prefix: string): DeclaredRoute[] {
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  return controllers.flatMap(({ metatype }) => routesOfController(metatype as Type, prefix));
}

function routesOfController(controller: Type, prefix: string): DeclaredRoute[] {
  const prototype = controller.prototype as Record<string, () => unknown>;
  const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number];
    const parts = [base, Reflect.getMetadata(PATH_METADATA, handler) as string];
    const path = parts.map((part) => part.replace(/^\/|\/$/g, '')).filter(Boolean);
    const address = `/${[...(base === 'health' ? [] : [prefix]), ...path].join('/')}`;
    return {
      route: `${method} ${address}`,
      access: accessOf(controller, handler),
      handler: `${controller.name}.${name}`,
    };
  });
}

function accessOf(controller: Type, handler: () => unknown): string {
  const { access = 'nothing' } = rulesOf({ getHandler: () => handler, getClass: () => controller as never });
  return access;
}
