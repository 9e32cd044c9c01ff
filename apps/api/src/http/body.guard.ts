import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { contentOfRoute } from './content-of-route.js';
import { addIgnored, watchIgnored } from './ignored-fields.js';
import { announcesBody, readJsonBody } from './json-body.js';

/**
 * Reads the body of those who may ask, after the token, its scope and its rate: strangers cannot fill the memory with bodies, a
 * missing token is 401 whatever else is sent, and requests that cannot be read are counted like all others.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (request.url.includes('?')) this.watchQuery(context, request, response);
    return announcesBody(request) ? this.readBody(context, request, response) : true;
  }

  private async readBody(context: ExecutionContext, request: Request, response: Response): Promise<true> {
    await readJsonBody(request, response);
    if (contentOfRoute(context).readsBody) watchIgnored(request.body, response);
    else addIgnored(response, Object.keys((request.body as object | undefined) ?? {}));
    return true;
  }

  /** Express reads the query anew each time that it is asked for. */
  private watchQuery(context: ExecutionContext, request: Request, response: Response): void {
    const { query } = request;
    Object.defineProperty(request, 'query', { value: query, configurable: true, enumerable: true });
    if (contentOfRoute(context).readsQuery) watchIgnored(query, response);
    else addIgnored(response, Object.keys(query));
  }
}
