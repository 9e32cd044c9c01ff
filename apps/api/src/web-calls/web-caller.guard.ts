import { BearerGuard, RateLimitsService, SCOPE, ScopesGuard, WrongTokensGuard } from '@app/auth';
import { isWebKey, type PageOfKey, WebKeysService } from '@app/calls';
import { metrics } from '@app/metrics';
import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Injectable,
  SetMetadata,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiOpenId } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { BodyGuard } from '../http/server/body.guard.js';

declare global {
  namespace Express {
    interface Request {
      /** The page that sent the request with a publishable key; absent: another client. */
      page?: PageOfKey;
    }
  }
}

const KEY = /^Bearer +(pk_\S+)$/i;

/** Admits tokens and people with the scope of the route, and pages with a publishable key whose origins name theirs. */
@Injectable()
export class WebCallerGuard implements CanActivate {
  constructor(
    private readonly wrongTokens: WrongTokensGuard,
    private readonly bearer: BearerGuard,
    private readonly scopes: ScopesGuard,
    private readonly body: BodyGuard,
    private readonly keys: WebKeysService,
    private readonly limits: RateLimitsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const [, key] = KEY.exec(request.headers.authorization ?? '') ?? [];
    if (key !== undefined && isWebKey(key)) {
      await this.admitPage(key, request, http.getResponse<Response>());
    } else {
      await this.wrongTokens.canActivate(context);
      await this.bearer.canActivate(context);
      this.scopes.canActivate(context);
    }
    await this.body.canActivate(context);
    // The key says which agent its pages call.
    const { page } = request;
    if (page) request.body = { agent_id: page.key.agent_id, ...(request.body as object | undefined) };
    return true;
  }

  private async admitPage(secret: string, request: Request, response: Response): Promise<void> {
    await this.limits.beforeLookup(request, response, async () => (await this.keys.authenticate(secret)) !== undefined);
    const key = await this.keys.authenticate(secret);
    if (!key) {
      await this.limits.failed(request, response);
      throw new UnauthorizedException('Unauthenticated. The web key is unknown or revoked.');
    }
    const { account_id: accountId, origins } = key;
    request.user = { accountId, scopes: [], requestsPerMinute: null };
    const { origin } = request.headers;
    if (origin === undefined || !origins.includes(origin)) {
      metrics.httpRefused.inc({ limit: 'web_key_origin' });
      throw new ForbiddenException('The web key may not be used by this page: its origin is not one of the key.');
    }
    const retryAfterMs = await this.limits.overLimit(`web-key:${key.id}`, request, key.calls_per_minute);
    if (retryAfterMs !== undefined) {
      metrics.httpRefused.inc({ limit: 'web_key_calls' });
      response.setHeader('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
      throw new HttpException('Too many calls from this address. Try again in a minute.', 429);
    }
    request.page = { key, origin };
  }
}

/** Requires a bearer token or a person with `calls:write`, or a page with a publishable key. */
export const WebCallers = (): MethodDecorator =>
  applyDecorators(
    SetMetadata(SCOPE, 'calls:write'),
    UseGuards(WebCallerGuard),
    ApiBearerAuth(),
    ApiOpenId(),
    ApiExtension('x-scope', 'calls:write'),
    ApiErrors(
      401,
      [403, 'NeedsCallsWrite', 'The token lacks the scope calls:write.'],
      [429, 'WebKeyLimitReached', 'All lines are taken at the moment. Try again in a minute.'],
    ),
  );
