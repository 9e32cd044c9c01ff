import type { Acting } from '@app/audit';
import { TestSchedulesService } from '@app/simulation';
import { Body, Controller, Delete, Get, Put, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ReadsWholeBody } from '../http/server/body.guard.js';
import { AgentId, ApiAgentId } from '../http/validation/path-params.js';
import {
  FoundTestScheduleDto,
  PutTestScheduleDto,
  SCHEDULE_EXAMPLES,
  TestScheduleDeletedDto,
  TestScheduleWithMessageDto,
} from './test-runs.dto.js';

@ApiTags('Simulations')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/test-schedule')
export class TestSchedulesController {
  constructor(private readonly schedules: TestSchedulesService) {}

  @Get()
  @Scopes('agents:read')
  @ApiOperation({ operationId: 'getTestSchedule', summary: 'Retrieve the test schedule of an agent' })
  @ApiResponse({ status: 200, type: FoundTestScheduleDto, description: 'The schedule.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @AgentId() agentId: number): Promise<FoundTestScheduleDto> {
    return { data: await this.schedules.find({ accountId, agentId }) };
  }

  @Put()
  @Scopes('calls:write')
  @ReadsWholeBody()
  @ApiOperation({
    operationId: 'putTestSchedule',
    summary: 'Set the test schedule of an agent',
    description:
      'Creates or replaces the schedule. Workers start each run once; times that pass while none runs are skipped. A scheduled run whose scenarios no longer exist ends with the status `error`.',
  })
  @ApiBody({ type: PutTestScheduleDto, examples: SCHEDULE_EXAMPLES })
  @ApiResponse({ status: 200, type: TestScheduleWithMessageDto, description: 'The schedule was set.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async put(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Body() _body: PutTestScheduleDto,
    @Req() request: Request,
  ): Promise<TestScheduleWithMessageDto> {
    return {
      message: 'Test schedule set successfully.',
      data: await this.schedules.put({ ...who, agentId }, request.body ?? {}),
    };
  }

  @Delete()
  @Scopes('calls:write')
  @ApiOperation({ operationId: 'deleteTestSchedule', summary: 'Delete the test schedule of an agent' })
  @ApiResponse({ status: 200, type: TestScheduleDeletedDto, description: 'The schedule was deleted.' })
  @ApiErrors(404)
  async delete(@Actor() who: Acting, @AgentId() agentId: number): Promise<TestScheduleDeletedDto> {
    await this.schedules.delete({ ...who, agentId });
    return { message: 'Test schedule deleted successfully.' };
  }
}
