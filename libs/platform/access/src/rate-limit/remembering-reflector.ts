import { Reflector } from '@nestjs/core';

/** Looks the metadata of a route up once: what its decorators say does not change. A handler belongs to one controller. */
export class RememberingReflector extends Reflector {
  private readonly known = new WeakMap<object, Map<unknown, unknown>>();

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the parent's signature
  override getAllAndOverride<Value>(key: unknown, targets: Parameters<Reflector['getAllAndOverride']>[1]): Value {
    const handler = targets[0] as object;
    let values = this.known.get(handler);
    if (!values) this.known.set(handler, (values = new Map()));
    if (!values.has(key)) values.set(key, super.getAllAndOverride(key, targets));
    return values.get(key) as Value;
  }
}
