import type { Acting } from '@app/audit';
import { BearerGuard, WrongTokensGuard } from '@app/auth';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  ForbiddenException,
  Inject,
  Injectable,
  Post,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../auth/auth.decorators.js';
import { publicBase } from '../auth/session-cookie.js';
import { BodyGuard, ReadsWholeBody } from '../http/server/body.guard.js';
import { disconnectSignal } from '../http/server/long-requests.js';
import { McpServerService } from './mcp-server.service.js';

/**
 * Refuses pages of unknown origins, as MCP requires of servers (streamable HTTP, security warning): a page that rebinds its host name to
 * this server has an Origin of its own. Programs send no Origin.
 */
@Injectable()
export class OriginGuard implements CanActivate {
  private readonly allowed: ReadonlySet<string>;

  constructor(@Inject(ENV) { CORS_ORIGINS, PUBLIC_URL }: Env) {
    this.allowed = new Set([...CORS_ORIGINS, ...(PUBLIC_URL ? [new URL(PUBLIC_URL).origin] : [])]);
  }

  canActivate(context: ExecutionContext): boolean {
    const { origin } = context.switchToHttp().getRequest<Request>().headers;
    if (origin === undefined || this.allowed.has(origin)) return true;
    throw new ForbiddenException('The Origin of the request is not in CORS_ORIGINS.');
  }
}

/** The MCP server: not a route of the REST API, so MCP clients read its tools from itself. */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  constructor(
    private readonly server: McpServerService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** Other methods return 405: there are no sessions and no stream of notifications. */
  @Post()
  @UseGuards(OriginGuard, WrongTokensGuard, BearerGuard, BodyGuard)
  @ReadsWholeBody()
  async handle(@Actor() who: Acting, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { user, traceParent } = request;
    const signal = disconnectSignal(response);
    const base = publicBase(request, this.env);
    await this.server.handle(request, response, { who, scopes: user?.scopes ?? [], signal, traceParent, base });
  }
}
