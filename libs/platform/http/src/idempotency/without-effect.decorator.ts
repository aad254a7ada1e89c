import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

const WITHOUT_EFFECT = 'http:without-effect';

/** Marks the operation for `describeIdempotency`, which removes the mark. */
export const WITHOUT_EFFECT_MARK = 'x-without-effect';

/** Declares that a POST only tells something: it can be repeated as it is, and an Idempotency-Key is ignored. */
export const WithoutEffect = () =>
  applyDecorators(SetMetadata(WITHOUT_EFFECT, true), ApiExtension(WITHOUT_EFFECT_MARK, true));

export function isWithoutEffect(handler: object): boolean {
  return Reflect.getMetadata(WITHOUT_EFFECT, handler) === true;
}
