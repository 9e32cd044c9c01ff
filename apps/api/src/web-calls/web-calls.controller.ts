import { WebCallsService, WebKeyLimit } from '@app/calls';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Headers, HttpException, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId } from '../auth/auth.decorators.js';
import { publicBase } from '../auth/session-cookie.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ApiIdempotencyKey } from '../http/validation/path-params.js';
import { webCallUrl } from './web-call-url.js';
import { WebCallers } from './web-caller.guard.js';
import {
  CREATE_WEB_CALL_EXAMPLES,
  CreateWebCallDto,
  requireAllowed,
  toWebCallCommand,
  WebCallCreatedDto,
} from './web-calls.dto.js';

@ApiTags('Web calls')
@Controller('api/v1/web-calls')
export class WebCallsController {
  constructor(
    private readonly calls: WebCallsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Post()
  @WebCallers()
  @ApiOperation({
    operationId: 'createWebCall',
    summary: 'Create a web call',
    description:
      'Creates a call between a web page and an agent. The page opens the WebSocket `url` with the token within a minute, and speaks and hears over it; `@trunkline/client/web` does both. With a token of the account, your server creates the call and gives `url` and `token` to its page. With a web key (`Authorization: Bearer pk_…`), a page of one of its origins creates the call itself; the key has no use besides, and an Idempotency-Key is ignored.',
  })
  @ApiIdempotencyKey({ effect: 'creates no call' })
  @ApiBody({ type: CreateWebCallDto, examples: CREATE_WEB_CALL_EXAMPLES })
  @ApiResponse({ status: 201, type: WebCallCreatedDto, description: 'The call waits for its page.' })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(
    @AccountId() accountId: number,
    @Body() body: CreateWebCallDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebCallCreatedDto> {
    const { page } = request;
    if (page) requireAllowed(body, page.key);
    // Visitors of a page would share the keys of its account.
    const idempotency = page ? undefined : idempotencyKey(header, { web_call: request.body as object });
    const command = toWebCallCommand(body, request.traceParent);
    const created = await this.calls.create(accountId, command, { idempotency, page }).catch((error: unknown) => {
      if (!(error instanceof WebKeyLimit)) throw error;
      response.setHeader('Retry-After', String(Math.max(1, error.retryAfterSeconds)));
      throw new HttpException(error.message, 429);
    });
    if (created.replayed) response.setHeader('Idempotent-Replayed', 'true');
    const { callId, token, expiresAt, warnings } = created;
    const url = webCallUrl(publicBase(request, this.env), callId);
    // The reasons are for the account, not for the visitors of its pages.
    const warned = warnings.length > 0 && !page && { warnings };
    return {
      message: 'Web call created successfully.',
      data: { call_id: callId, url, token, expires_at: expiresAt },
      ...warned,
    };
  }
}
