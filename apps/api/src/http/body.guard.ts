import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request, Response } from 'express';
import { addIgnoredFields, trackIgnoredFields } from './ignored-fields.js';
import { hasBodyHeaders, readJsonBody } from './request-body.js';

/**
 * Reads the body after authentication, scope check and rate limit: unauthenticated clients cannot fill the memory with bodies, a missing
 * token is 401 whatever else is sent, and unreadable requests count towards the rate limit like all others.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (request.url.includes('?')) this.trackQuery(context, request, response);
    return hasBodyHeaders(request) ? this.readBody(context, request, response) : true;
  }

  private async readBody(context: ExecutionContext, request: Request, response: Response): Promise<true> {
    await readJsonBody(request, response);
    if (routeInputs(context).readsBody) trackIgnoredFields(request.body, response);
    else addIgnoredFields(response, Object.keys((request.body as object | undefined) ?? {}));
    return true;
  }

  /** Express parses the query again at each access; the property keeps one object for the whole request. */
  private trackQuery(context: ExecutionContext, request: Request, response: Response): void {
    const { query } = request;
    Object.defineProperty(request, 'query', { value: query, configurable: true, enumerable: true });
    if (routeInputs(context).readsQuery) trackIgnoredFields(query, response);
    else addIgnoredFields(response, Object.keys(query));
  }
}

interface RouteInputs {
  readsBody: boolean;
  readsQuery: boolean;
}

const WHOLE_BODY = 'whole-body';
/** The handler reads `request.body` itself, and refuses unknown fields. */
export const ReadsWholeBody = (): MethodDecorator => SetMetadata(WHOLE_BODY, true);

const inputsByHandler = new WeakMap<object, RouteInputs>();

/** Which parts of a request the handler of a route reads, derived from its `@Body()` and `@Query()`. */
function routeInputs(context: ExecutionContext): RouteInputs {
  const handler = context.getHandler();
  const cached = inputsByHandler.get(handler);
  if (cached) return cached;
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
  const takes = (type: RouteParamtypes) => Object.keys(args).some((key) => key.startsWith(`${type}:`));
  const readsWhole = Reflect.getMetadata(WHOLE_BODY, handler) === true;
  const inputs = { readsBody: readsWhole || takes(RouteParamtypes.BODY), readsQuery: takes(RouteParamtypes.QUERY) };
  inputsByHandler.set(handler, inputs);
  return inputs;
}
