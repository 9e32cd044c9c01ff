import { CallsService } from '@app/calls';
import { ToolInvocationsService } from '@app/tools';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiCallId, CallIdPipe } from '../calls/call-params.js';
import { ApiErrors } from '../http/api-errors.js';
import { ToolCallListDto } from './tool-call.dto.js';

/** The tools that an agent used on a call, with all their requests. */
@ApiTags('Calls')
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
      'What the tools of the agent were invoked with and what came of it, oldest first, the first 200; while the call lasts, too. They are kept for 30 days; `DELETE /calls/{callId}` removes them at once. A tool that was deleted since leaves its history. Built-in tools are not among them.',
  })
  @ApiCallId()
  @ApiResponse({ status: 200, type: ToolCallListDto, description: 'The tool calls; empty when there were none.' })
  @ApiErrors(404)
  async list(
    @AccountId() accountId: number,
    @Param('callId', CallIdPipe) callId: string,
  ): Promise<{ data: ToolCallListDto['data'] }> {
    const [, data] = await Promise.all([
      this.calls.find(accountId, callId),
      this.invocations.ofCall(accountId, callId),
    ]);
    return { data };
  }
}
