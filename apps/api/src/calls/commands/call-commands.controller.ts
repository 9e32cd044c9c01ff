import type { Acting } from '@app/audit';
import { CallCommandsService } from '@app/calls';
import { idempotencyKey } from '@app/database';
import { Body, Controller, Get, Headers, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../../auth/auth.decorators.js';
import { ApiErrors } from '../../http/responses/api-errors.js';
import { ApiCallId, ApiIdempotencyKey, CallId, PathUuid } from '../../http/validation/path-params.js';
import {
  CALL_COMMAND_EXAMPLES,
  CallCommandDto,
  CallCommandsQueryDto,
  CommandListDto,
  commandPlace,
  CommandQueuedDto,
  FoundCommandDto,
  toCommand,
} from './call-commands.dto.js';

/** Commands to a live call. */
@ApiTags('Calls')
@Controller('api/v1/calls/:callId/commands')
export class CallCommandsController {
  constructor(private readonly commands: CallCommandsService) {}

  @Post()
  @HttpCode(202)
  @Scopes('calls:write')
  @ApiOperation({
    operationId: 'sendCommand',
    summary: 'Send a command to a live call',
    description:
      'The dialer of the call executes the commands of a call one after the other, in the order of their requests. The response does not wait for the execution: follow the events `command_done`, `command_failed` and `command_not_executed` of the call, or read the command. At most 100 commands of a call wait at once.',
  })
  @ApiCallId()
  @ApiIdempotencyKey({ effect: 'queues no command' })
  @ApiBody({ type: CallCommandDto, examples: CALL_COMMAND_EXAMPLES })
  @ApiResponse({ status: 202, type: CommandQueuedDto, description: 'The command is queued.' })
  @ApiErrors(
    400,
    404,
    [409, 'CallTakesNoCommands', 'The call has already ended and takes no more commands.'],
    413,
    415,
    422,
  )
  async send(
    @Actor() who: Acting,
    @CallId() callId: string,
    @Body() body: CallCommandDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CommandQueuedDto> {
    const key = idempotencyKey(header, { command_of: callId, ...(request.body as object) });
    const { view, replayed } = await this.commands.queue(who, { callId, ...toCommand(body) }, key);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Command queued.', data: view };
  }

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'listCommands',
    summary: 'List the commands of a call',
    description: 'Returns the commands of the call in their order.',
  })
  @ApiCallId()
  @ApiResponse({ status: 200, type: CommandListDto, description: 'The commands; empty if there were none.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @CallId() callId: string,
    @Query() query: CallCommandsQueryDto,
  ): Promise<CommandListDto> {
    const place = commandPlace(query);
    const { commands, nextAfter } = await this.commands.page({ accountId, callId }, place);
    return { data: commands, meta: { per_page: place.limit, next_after: nextAfter } };
  }

  @Get(':commandId')
  @Scopes('calls:read')
  @ApiOperation({ operationId: 'getCommand', summary: 'Retrieve a command' })
  @ApiCallId()
  @ApiParam({
    name: 'commandId',
    description: 'The `command_id` of the command.',
    schema: { type: 'string', format: 'uuid' },
  })
  @ApiResponse({ status: 200, type: FoundCommandDto, description: 'The command.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @CallId() callId: string,
    @PathUuid('commandId', 'Command', 'call_commands') commandId: string,
  ): Promise<FoundCommandDto> {
    return { data: await this.commands.find(accountId, callId, commandId) };
  }
}
