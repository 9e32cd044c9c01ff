import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

export interface RouteContent {
  readsBody: boolean;
  readsQuery: boolean;
}

const WHOLE_BODY = 'whole-body';
/** The handler reads `request.body` itself, and refuses unknown fields. */
export const ReadsWholeBody = (): MethodDecorator => SetMetadata(WHOLE_BODY, true);

const known = new WeakMap<object, RouteContent>();

/** Which parts of a request the handler of a route takes, by its `@Body()` and `@Query()`. */
export function contentOfRoute(context: ExecutionContext): RouteContent {
  const handler = context.getHandler();
  const kept = known.get(handler);
  if (kept) return kept;
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
  const takes = (type: RouteParamtypes) => Object.keys(args).some((key) => key.startsWith(`${type}:`));
  const readsWhole = Reflect.getMetadata(WHOLE_BODY, handler) === true;
  const content = { readsBody: readsWhole || takes(RouteParamtypes.BODY), readsQuery: takes(RouteParamtypes.QUERY) };
  known.set(handler, content);
  return content;
}
