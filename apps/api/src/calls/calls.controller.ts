import { TranscriptSearchService } from '@app/analytics';
import type { Acting } from '@app/audit';
import {
  CallCancellationService,
  CallCreationService,
  CallLinksService,
  CallsService,
  callView,
  callWithResultsView,
} from '@app/calls';
import { CallDeletionService } from '@app/campaigns';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { listOf, ListUrl, type PagePlace, type SlicePlace } from '../http/responses/pagination.js';
import { ApiCallId, ApiIdempotencyKey, CallId } from '../http/validation/path-params.js';
import { FoundCallDto } from './call-results.dto.js';
import { CallCreatedDto, CallDeletedDto, CallListDto, CallWithMessageDto } from './call.dto.js';
import { CreateCallsDto, toCreateCallsCommand } from './requests/create-calls.dto.js';
import { ListCallsDto, toCallFilter } from './requests/list-calls.dto.js';
import { CREATE_CALLS_EXAMPLES } from './requests/request-examples.js';

@ApiTags('Calls')
@Controller('api/v1/calls')
export class CallsController {
  constructor(
    private readonly calls: CallsService,
    private readonly creation: CallCreationService,
    private readonly cancellation: CallCancellationService,
    private readonly deletion: CallDeletionService,
    private readonly links: CallLinksService,
    private readonly transcripts: TranscriptSearchService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'listCalls',
    summary: 'List calls',
    description: 'Returns the calls of the account, newest first.',
  })
  @ApiResponse({ status: 200, type: CallListDto, description: 'A page of calls.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListCallsDto, @Req() request: Request) {
    const { transcript } = query;
    const search = transcript === undefined ? undefined : this.transcripts.parse(accountId, transcript);
    const filter = toCallFilter(query, search?.query);
    const reads = {
      slice: (place: SlicePlace) => this.calls.slice(accountId, filter, place),
      page: (place: PagePlace) => this.calls.page(accountId, filter, place),
    };
    const list = await listOf(new ListUrl(request, this.env.PUBLIC_URL), query, reads, (call) =>
      callView(call, this.links),
    );
    return search ? { ...list, data: await this.transcripts.withMatches(accountId, list.data, search) } : list;
  }

  @Post()
  @Scopes('calls:write')
  @ApiOperation({
    operationId: 'createCalls',
    summary: 'Create calls',
    description:
      'Creates one call per destination. Calls are queued (`pending`) until the limits of the account and the trunk allow them to be dialled.',
  })
  @ApiIdempotencyKey({ effect: 'creates no calls' })
  @ApiBody({ type: CreateCallsDto, examples: CREATE_CALLS_EXAMPLES })
  @ApiResponse({ status: 201, description: 'The calls are queued.', type: CallCreatedDto })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(
    @AccountId() accountId: number,
    @Body() body: CreateCallsDto,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const command = toCreateCallsCommand(body, request.traceParent);
    const created = await this.creation.create(accountId, command, idempotencyKey(key, request.body));
    const { calls, replayed } = created;
    const warned = created.warnings.length > 0 && { warnings: created.warnings };
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    if (!Array.isArray(body.to_number)) {
      return { message: 'Call initiated successfully.', data: calls[0], ...warned };
    }
    const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
    return { message: `${count} initiated successfully.`, data: calls, ...warned };
  }

  @Get(':callId')
  @Scopes('calls:read')
  @ApiOperation({ operationId: 'getCall', summary: 'Retrieve a call' })
  @ApiCallId()
  @ApiResponse({ status: 200, type: FoundCallDto, description: 'The call.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @CallId() callId: string): Promise<FoundCallDto> {
    return { data: callWithResultsView(await this.calls.findWithResults(accountId, callId), this.links) };
  }

  @Post(':callId/cancel')
  @HttpCode(200)
  @Scopes('calls:write')
  @ApiOperation({
    operationId: 'cancelCall',
    summary: 'Cancel a call',
    description:
      'A queued call ends as `cancelled` immediately. A ringing call is cancelled within half a second. An answered call is hung up and ends as `completed`.',
  })
  @ApiCallId()
  @ApiResponse({ status: 200, type: CallWithMessageDto, description: 'The cancellation was requested.' })
  @ApiErrors(404, [409, 'CallAlreadyEnded', 'The call has already ended and cannot be cancelled.'])
  async cancel(@Actor() who: Acting, @CallId() callId: string) {
    const call = await this.cancellation.cancel(who, callId);
    return { message: 'Call cancellation requested.', data: callView(call, this.links) };
  }

  @Delete(':callId')
  @Scopes('calls:write')
  @ApiOperation({
    operationId: 'deleteCall',
    summary: 'Delete a call',
    description: 'Deletes an ended call with its recording, transcript and webhooks, including undelivered webhooks.',
  })
  @ApiCallId()
  @ApiResponse({ status: 200, type: CallDeletedDto, description: 'The call is deleted.' })
  @ApiErrors(404, [
    409,
    'CallActive',
    'An active call cannot be deleted. Wait for it to complete or fail, or cancel it.',
  ])
  async delete(@Actor() who: Acting, @CallId() callId: string): Promise<CallDeletedDto> {
    await this.deletion.delete(who, callId);
    return { message: 'Call deleted successfully.' };
  }
}
