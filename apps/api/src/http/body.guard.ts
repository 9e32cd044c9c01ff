import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';

/**
 * What is wrong with the form of a body is told to those who may ask, after the token, its scope and its rate: a missing token
 * is 401 whatever else is sent, and requests that cannot be read are counted like all others.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { unreadableBody } = context.switchToHttp().getRequest<Request>();
    if (unreadableBody !== undefined) throw unreadableBody;
    return true;
  }
}
