import { AddressGuard } from '@app/auth';
import { ToolReportsService } from '@app/calls';
import { Body, Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../http/responses/api-errors.js';
import { BodyGuard } from '../http/server/body.guard.js';
import { ReportTakenDto, ToolReportDto } from './tool-callbacks.dto.js';

/** Takes the results of background tools. The token in the URL is the proof of the sender: it belongs to one invocation. */
@ApiTags('Tools')
@Controller('api/v1/tool-callbacks')
export class ToolCallbacksController {
  constructor(private readonly reports: ToolReportsService) {}

  @Post(':token')
  @HttpCode(200)
  @UseGuards(AddressGuard, BodyGuard)
  @ApiOperation({
    operationId: 'reportToolResult',
    summary: 'Report the result of a background tool',
    description:
      'The address is `{{callback.url}}` in the requests of a tool with `mode: background`, valid for 15 minutes and for one result; before it, up to 20 notes of progress are taken. During the call the agent gets the report in the next pause; afterwards the result is in the record of the call, and in the webhook `tool-result`. A report that was answered with 200 is stored. It needs no bearer token.',
    security: [],
  })
  @ApiParam({
    name: 'token',
    description: 'The last part of `{{callback.url}}`.',
    schema: { type: 'string', maxLength: 64 },
  })
  @ApiResponse({ status: 200, type: ReportTakenDto, description: 'The report is stored.' })
  @ApiErrors(
    400,
    [404, 'NoToolCallback', 'Tool callback not found.'],
    [409, 'ToolCallbackEnded', 'The tool call has its result already, and takes no other.'],
    [410, 'ToolCallbackExpired', 'The 15 minutes for the result of the tool call are over.'],
    413,
    415,
    422,
    429,
  )
  async report(@Param('token') token: string, @Body() body: ToolReportDto): Promise<ReportTakenDto> {
    const { invocationId, delivery } = await this.reports.take(token.slice(0, 64), body);
    return { message: 'Report taken successfully.', data: { invocation_id: invocationId, delivery } };
  }
}
