import { CallsService } from '@app/calls';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { listedInvocationView, ToolInvocationsService } from '@app/tools';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { listOf, ListUrl, type PagePlace, type SlicePlace } from '../http/responses/pagination.js';
import { ApiCallId, CallId, PathUuid } from '../http/validation/path-params.js';
import {
  FoundInvocationDto,
  invocationFilterOf,
  InvocationListDto,
  ListInvocationsDto,
  ToolCallListDto,
} from './tool-invocations.dto.js';

/** The tool calls of a call, with their requests. */
@ApiTags('Call results')
@Controller('api/v1/calls/:callId/tool-calls')
export class ToolCallsController {
  constructor(
    private readonly invocations: ToolInvocationsService,
    private readonly calls: CallsService,
  ) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'listToolCalls',
    summary: 'List the tool calls of a call',
    description:
      'Returns the first 200 tool calls with arguments, results and requests, oldest first, also during the call. Tool calls are kept for 30 days; `DELETE /calls/{callId}` deletes them immediately. Tool calls of deleted tools are included, those of built-in tools are not.',
  })
  @ApiCallId()
  @ApiResponse({ status: 200, type: ToolCallListDto, description: 'The tool calls; empty if there were none.' })
  @ApiErrors(404)
  async list(@AccountId() accountId: number, @CallId() callId: string): Promise<{ data: ToolCallListDto['data'] }> {
    const [, data] = await Promise.all([
      this.calls.find(accountId, callId),
      this.invocations.ofCall(accountId, callId),
    ]);
    return { data };
  }
}

const InvocationId = (): ParameterDecorator => PathUuid('id', 'Tool invocation', 'tool_invocations');

/** The tool invocations of an account, within and outside of calls. */
@ApiTags('Tools')
@Controller('api/v1/tool-invocations')
export class ToolInvocationsController {
  constructor(
    private readonly invocations: ToolInvocationsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('tools:read')
  @ApiOperation({
    operationId: 'listToolInvocations',
    summary: 'List tool invocations',
    description:
      'Returns the tool invocations of the last 30 days in calls, simulations and `POST …/tools/{id}/invoke`, newest first. Actions that are not awaited also appear in the webhook deliveries, where they can be replayed.',
  })
  @ApiResponse({ status: 200, type: InvocationListDto, description: 'A page of invocations.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListInvocationsDto, @Req() request: Request) {
    const filter = invocationFilterOf(query);
    const reads = {
      slice: (place: SlicePlace) => this.invocations.slice(accountId, filter, place),
      page: (place: PagePlace) => this.invocations.page(accountId, filter, place),
    };
    return listOf(new ListUrl(request, this.env.PUBLIC_URL), query, reads, listedInvocationView);
  }

  @Get(':id')
  @Scopes('tools:read')
  @ApiOperation({
    operationId: 'getToolInvocation',
    summary: 'Retrieve a tool invocation',
    description: 'Returns the invocation with its arguments, result and requests.',
  })
  @ApiParam({
    name: 'id',
    description: 'The `invocation_id` of the invocation.',
    schema: { type: 'string', format: 'uuid' },
  })
  @ApiResponse({ status: 200, type: FoundInvocationDto, description: 'The invocation.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @InvocationId() id: string): Promise<FoundInvocationDto> {
    return { data: await this.invocations.find(accountId, id) };
  }
}
