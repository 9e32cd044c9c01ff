import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { KnowledgeTestsService, knowledgeTestView } from '@app/knowledge';
import { ENV } from '@app/common/settings';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Inject,
  Injectable,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { BodyLimit, LARGE_BODY_KB } from '../http/server/body.guard.js';
import { clientDisconnected, ConcurrencyLimit, disconnectSignal } from '../http/server/long-requests.js';
import { ListUrl, pageOf, placeOf } from '../http/responses/pagination.js';
import { AgentId, ApiAgentId, ApiIdempotencyKey, PathId } from '../http/validation/path-params.js';
import {
  FoundKnowledgeTestDto,
  KnowledgeTestDeletedDto,
  KnowledgeTestListDto,
  KnowledgeTestWithMessageDto,
  TestRunDto,
  testRunOf,
} from './knowledge-test-responses.dto.js';
import {
  CREATE_TEST_EXAMPLES,
  CreateKnowledgeTestDto,
  ListKnowledgeTestsDto,
  toTestChanges,
  toTestSettings,
  UPDATE_TEST_EXAMPLES,
  UpdateKnowledgeTestDto,
} from './knowledge-tests.dto.js';

/** Limits concurrent runs. Each holds a database connection and searches up to 600 times. */
@Injectable()
export class TestRunLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 2,
      mostPerAccount: 1,
      accountIsFull: 'Only one run of tests is possible at a time. Wait for it to finish.',
      processIsFull: 'Too many tests are running at the moment. Try again.',
    });
  }
}

const TestId = (): ParameterDecorator => PathId('id', 'Knowledge test', 'knowledge_tests');
const ApiTestId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the test.', schema: { type: 'integer', minimum: 1 } });

@ApiTags('Knowledge bases')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/knowledge-bases/tests')
@BodyLimit(LARGE_BODY_KB)
export class KnowledgeTestsController {
  constructor(
    private readonly tests: KnowledgeTestsService,
    private readonly limit: TestRunLimit,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('knowledge:read')
  @ApiOperation({
    operationId: 'listKnowledgeTests',
    summary: 'List retrieval tests',
    description: 'Returns the retrieval tests of the agent with their last results, newest first.',
  })
  @ApiResponse({ status: 200, type: KnowledgeTestListDto, description: 'A page of tests.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: ListKnowledgeTestsDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { result } = query;
    const { tests, total } = await this.tests.list({ accountId, agentId }, result, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), tests.map(knowledgeTestView), { ...place, total });
  }

  @Post()
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'createKnowledgeTest',
    summary: 'Create a retrieval test',
    description:
      'Creates a question with an expected answer: give `question` or `questions`, and at least one of `expected_text`, `expected_source` and `expected_knowledge_base_id`. A worker runs the test within seconds, and again after each change of the knowledge bases. A refresh of a web page that would make a passing test fail is held back. An agent has at most 200 tests.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreateKnowledgeTestDto, examples: CREATE_TEST_EXAMPLES })
  @ApiResponse({ status: 201, type: KnowledgeTestWithMessageDto, description: 'The test was created.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  async create(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Body() body: CreateKnowledgeTestDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<KnowledgeTestWithMessageDto> {
    const key = idempotencyKey(header, { knowledge_test_of: agentId, ...(request.body as object) });
    const { view, replayed } = await this.tests.create({ ...who, agentId }, toTestSettings(body), key);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Knowledge test created successfully.', data: view };
  }

  @Post('run')
  @HttpCode(200)
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'runKnowledgeTests',
    summary: 'Run the retrieval tests',
    description:
      'Runs all active tests of the agent against its current knowledge and stores the results. An account can have one run at a time.',
  })
  @ApiResponse({ status: 200, type: TestRunDto, description: 'The results.' })
  @ApiErrors(404)
  async run(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TestRunDto> {
    const release = this.limit.acquire(accountId, response);
    const disconnected = disconnectSignal(response);
    try {
      return testRunOf(await this.tests.run({ accountId, agentId }, disconnected));
    } catch (error) {
      throw disconnected.aborted ? clientDisconnected() : error;
    } finally {
      release();
    }
  }

  @Get(':id')
  @Scopes('knowledge:read')
  @ApiOperation({ operationId: 'getKnowledgeTest', summary: 'Retrieve a retrieval test' })
  @ApiTestId()
  @ApiResponse({ status: 200, type: FoundKnowledgeTestDto, description: 'The test.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @TestId() id: number,
  ): Promise<FoundKnowledgeTestDto> {
    return { data: knowledgeTestView(await this.tests.find({ accountId, agentId }, id)) };
  }

  @Put(':id')
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'updateKnowledgeTest',
    summary: 'Update a retrieval test',
    description:
      'Updates the given fields. Null removes an expectation; at least one must remain. The result is `pending` until the next run, unless only `is_active` changes.',
  })
  @ApiTestId()
  @ApiBody({ type: UpdateKnowledgeTestDto, examples: UPDATE_TEST_EXAMPLES })
  @ApiResponse({ status: 200, type: KnowledgeTestWithMessageDto, description: 'The test was updated.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async update(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @TestId() id: number,
    @Body() body: UpdateKnowledgeTestDto,
  ): Promise<KnowledgeTestWithMessageDto> {
    const updated = await this.tests.update({ ...who, agentId }, id, toTestChanges(body));
    return { message: 'Knowledge test updated successfully.', data: knowledgeTestView(updated) };
  }

  @Patch(':id')
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'patchKnowledgeTest',
    summary: 'Update a retrieval test',
    description: 'Equivalent to PUT.',
  })
  @ApiTestId()
  @ApiBody({ type: UpdateKnowledgeTestDto, examples: UPDATE_TEST_EXAMPLES })
  @ApiResponse({ status: 200, type: KnowledgeTestWithMessageDto, description: 'The test was updated.' })
  @ApiErrors(400, 404, 413, 415, 422)
  patch(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @TestId() id: number,
    @Body() body: UpdateKnowledgeTestDto,
  ): Promise<KnowledgeTestWithMessageDto> {
    return this.update(who, agentId, id, body);
  }

  @Delete(':id')
  @Scopes('knowledge:write')
  @ApiOperation({ operationId: 'deleteKnowledgeTest', summary: 'Delete a retrieval test' })
  @ApiTestId()
  @ApiResponse({ status: 200, type: KnowledgeTestDeletedDto, description: 'The test is deleted.' })
  @ApiErrors(404)
  async delete(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @TestId() id: number,
  ): Promise<KnowledgeTestDeletedDto> {
    await this.tests.delete({ ...who, agentId }, id);
    return { message: 'Knowledge test deleted successfully.' };
  }
}
