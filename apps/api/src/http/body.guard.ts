import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
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
    return announcesBody(request) ? readJsonBody(request, http.getResponse<Response>()).then(() => true) : true;
  }
}
