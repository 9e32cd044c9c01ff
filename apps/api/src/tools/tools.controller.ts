import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ToolsService } from '@app/tools';
import { Body, Controller, Delete, Get, Headers, Inject, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope } from '../http/pagination.js';
import { PathId } from '../http/path-params.js';
import { AgentId, ApiAgentId } from '../knowledge-bases/path-ids.js';
import { CreateToolDto } from './create-tool.dto.js';
import { ListToolsDto } from './list-tools.dto.js';
import { FoundToolDto, ToolDeletedDto, ToolListDto, ToolWithMessageDto } from './tool.dto.js';
import { CREATE_TOOL_EXAMPLES, UPDATE_TOOL_EXAMPLES } from './tool.examples.js';
import { toNewTool, toToolChanges } from './to-new-tool.js';
import { UpdateToolDto } from './update-tool.dto.js';

const PER_PAGE = 15;

const ToolId = (): ParameterDecorator => PathId('id', 'Tool');
const ApiToolId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the tool.', schema: { type: 'integer', minimum: 1 } });

@ApiTags('Tools')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/tools')
export class ToolsController {
  constructor(
    private readonly tools: ToolsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('tools:read')
  @ApiOperation({ operationId: 'listTools', summary: 'List tools', description: "The agent's tools, newest first." })
  @ApiResponse({ status: 200, type: ToolListDto, description: 'A page of tools.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: ListToolsDto,
    @Req() request: Request,
  ): Promise<object> {
    const { page = 1, per_page: perPage = PER_PAGE, status, search } = query;
    const filter = { isActive: status && status === 'active', search };
    const { tools, total } = await this.tools.page({ accountId, agentId }, filter, { page, perPage });
    const facts = { page, perPage, shown: tools.length, total, isEstimate: false };
    return { data: tools, ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }

  @Post()
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'createTool',
    summary: 'Create a tool',
    description: 'The agent has it in every conversation that begins from now on.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a repetition safe for 24 hours: the same key with the same body gets the first answer again (with `Idempotent-Replayed: true`) and makes nothing; with another body it is 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  })
  @ApiBody({ type: CreateToolDto, examples: CREATE_TOOL_EXAMPLES })
  @ApiResponse({ status: 201, type: ToolWithMessageDto, description: 'The tool was created.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  async create(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Body() body: CreateToolDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ToolWithMessageDto> {
    const key = idempotencyKey(header, { tool_of: agentId, ...(request.body as object) });
    const { view, replayed } = await this.tools.create({ ...who, agentId }, toNewTool(body), key);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Tool created successfully.', data: view };
  }

  @Get(':id')
  @Scopes('tools:read')
  @ApiOperation({ operationId: 'getTool', summary: 'Read one tool', description: 'With its webhook actions.' })
  @ApiToolId()
  @ApiResponse({ status: 200, type: FoundToolDto, description: 'The tool.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @AgentId() agentId: number, @ToolId() id: number): Promise<FoundToolDto> {
    return { data: await this.tools.find({ accountId, agentId }, id) };
  }

  @Put(':id')
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'updateTool',
    summary: 'Update a tool',
    description:
      'Changes what is given; a list of `webhook_actions` takes the place of all that there were. Conversations that have begun keep the tool as it was.',
  })
  @ApiToolId()
  @ApiBody({ type: UpdateToolDto, examples: UPDATE_TOOL_EXAMPLES })
  @ApiResponse({ status: 200, type: ToolWithMessageDto, description: 'The tool was changed.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async update(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @ToolId() id: number,
    @Body() body: UpdateToolDto,
  ): Promise<ToolWithMessageDto> {
    const data = await this.tools.update({ ...who, agentId }, id, toToolChanges(body));
    return { message: 'Tool updated successfully.', data };
  }

  @Patch(':id')
  @Scopes('tools:write')
  @ApiOperation({ operationId: 'patchTool', summary: 'Update a tool', description: 'The same as PUT.' })
  @ApiToolId()
  @ApiBody({ type: UpdateToolDto, examples: UPDATE_TOOL_EXAMPLES })
  @ApiResponse({ status: 200, type: ToolWithMessageDto, description: 'The tool was changed.' })
  @ApiErrors(400, 404, 413, 415, 422)
  patch(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @ToolId() id: number,
    @Body() body: UpdateToolDto,
  ): Promise<ToolWithMessageDto> {
    return this.update(who, agentId, id, body);
  }

  @Delete(':id')
  @Scopes('tools:write')
  @ApiOperation({ operationId: 'deleteTool', summary: 'Delete a tool', description: 'With its webhook actions.' })
  @ApiToolId()
  @ApiResponse({ status: 200, type: ToolDeletedDto, description: 'The tool is gone.' })
  @ApiErrors(404)
  async delete(@Actor() who: Acting, @AgentId() agentId: number, @ToolId() id: number): Promise<ToolDeletedDto> {
    await this.tools.delete({ ...who, agentId }, id);
    return { message: 'Tool deleted successfully.' };
  }
}
