import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { ScenarioRunsService } from '@app/simulation';
import { Body, Controller, Get, Headers, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ReadsWholeBody } from '../http/server/body.guard.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { AgentId, ApiAgentId, ApiIdempotencyKey, PathUuid } from '../http/validation/path-params.js';
import {
  FoundScenarioRunDto,
  ListTestConversationsDto,
  START_RUN_EXAMPLES,
  StartTestRunDto,
  TestConversationListDto,
  ScenarioRunListDto,
  ScenarioRunWithMessageDto,
} from './test-runs.dto.js';

const RunId = (): ParameterDecorator => PathUuid('id', 'Test run', 'test_runs');
const ApiRunId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the test run.', schema: { type: 'string', format: 'uuid' } });

@ApiTags('Simulations')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/test-runs')
export class TestRunsController {
  constructor(
    private readonly runs: ScenarioRunsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'listTestRuns',
    summary: 'List test runs',
    description: 'Returns the test runs of the agent, newest first. They are kept for 90 days.',
  })
  @ApiResponse({ status: 200, type: ScenarioRunListDto, description: 'A page of test runs.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<ScenarioRunListDto> {
    const place = placeOf(query);
    const { runs, total } = await this.runs.page({ accountId, agentId }, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), runs, { ...place, total });
  }

  @Post()
  @Scopes('calls:write')
  @ReadsWholeBody()
  @ApiOperation({
    operationId: 'startTestRun',
    summary: 'Start a test run',
    description:
      'Queues conversations of tester callers with the agent, played by a worker. The run keeps a copy of the scenarios. One run of an account is played at a time, and at most 20 can wait. The cost counts towards the daily spend of the account.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: StartTestRunDto, examples: START_RUN_EXAMPLES })
  @ApiResponse({ status: 201, type: ScenarioRunWithMessageDto, description: 'The test run was queued.' })
  @ApiErrors(400, 404, [409, 'TooManyTestRuns', 'At most 20 test runs of an account can wait.'], 413, 415, 422)
  async start(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Body() _body: StartTestRunDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScenarioRunWithMessageDto> {
    const body = (request.body ?? {}) as object;
    const key = idempotencyKey(header, { test_run_of: agentId, ...body });
    const { view, replayed } = await this.runs.start({ ...who, agentId }, body, key);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Test run queued successfully.', data: view };
  }

  @Get(':id')
  @Scopes('agents:read')
  @ApiRunId()
  @ApiOperation({
    operationId: 'getTestRun',
    summary: 'Retrieve a test run',
    description: 'Returns the run with the results of its scenarios so far.',
  })
  @ApiResponse({ status: 200, type: FoundScenarioRunDto, description: 'The test run.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @RunId() id: string,
  ): Promise<FoundScenarioRunDto> {
    return { data: await this.runs.find({ accountId, agentId, id }) };
  }

  @Get(':id/conversations')
  @Scopes('agents:read')
  @ApiRunId()
  @ApiOperation({
    operationId: 'listTestConversations',
    summary: 'List conversations of a test run',
    description:
      'Returns the conversations with transcripts, tool calls, failed expectations and the evidence of the judge.',
  })
  @ApiResponse({ status: 200, type: TestConversationListDto, description: 'A page of conversations.' })
  @ApiErrors(404, 422)
  async conversations(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @RunId() id: string,
    @Query() query: ListTestConversationsDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { scenario, result } = query;
    const passed = result === undefined ? undefined : result === 'passed';
    const { conversations, total } = await this.runs.conversations(
      { accountId, agentId, id },
      { scenario, passed },
      place,
    );
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), conversations, { ...place, total });
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Scopes('calls:write')
  @ApiRunId()
  @ApiOperation({
    operationId: 'cancelTestRun',
    summary: 'Cancel a test run',
    description: 'Ends the run. Conversations in progress end within seconds; results so far are kept.',
  })
  @ApiResponse({ status: 200, type: ScenarioRunWithMessageDto, description: 'The test run was cancelled.' })
  @ApiErrors(404, [409, 'TestRunOver', 'The test run is over.'])
  async cancel(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @RunId() id: string,
  ): Promise<ScenarioRunWithMessageDto> {
    return { message: 'Test run cancelled successfully.', data: await this.runs.cancel({ ...who, agentId, id }) };
  }
}
