import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { ToolsService } from '@app/tools';
import { Body, Controller, Delete, Get, Headers, Inject, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ListUrl, pageOf, placeOf } from '../http/responses/pagination.js';
import { AgentId, ApiAgentId, ApiIdempotencyKey, PathId } from '../http/validation/path-params.js';
import {
  CREATE_TOOL_EXAMPLES,
  CreateToolDto,
  FoundToolDto,
  ListToolsDto,
  toNewTool,
  ToolDeletedDto,
  ToolListDto,
  ToolWithMessageDto,
  toToolChanges,
  UPDATE_TOOL_EXAMPLES,
  UpdateToolDto,
} from './tools.dto.js';

const ToolId = (): ParameterDecorator => PathId('id', 'Tool', 'tools');
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
  @ApiOperation({
    operationId: 'listTools',
    summary: 'List tools',
    description: 'Returns the tools of the agent, newest first.',
  })
  @ApiResponse({ status: 200, type: ToolListDto, description: 'A page of tools.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: ListToolsDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { status, search } = query;
    const filter = { isActive: status && status === 'active', search };
    const { tools, total } = await this.tools.page({ accountId, agentId }, filter, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), tools, { ...place, total });
  }

  @Post()
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'createTool',
    summary: 'Create a tool',
    description: 'The tool is available in conversations that start after the request.',
  })
  @ApiIdempotencyKey()
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
  @ApiOperation({
    operationId: 'getTool',
    summary: 'Retrieve a tool',
    description: 'Returns the tool with its webhook actions.',
  })
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
      'Updates the given fields. A list of `webhook_actions` replaces all existing actions. Conversations in progress keep the previous version.',
  })
  @ApiToolId()
  @ApiBody({ type: UpdateToolDto, examples: UPDATE_TOOL_EXAMPLES })
  @ApiResponse({ status: 200, type: ToolWithMessageDto, description: 'The tool was updated.' })
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
  @ApiOperation({ operationId: 'patchTool', summary: 'Update a tool', description: 'Equivalent to PUT.' })
  @ApiToolId()
  @ApiBody({ type: UpdateToolDto, examples: UPDATE_TOOL_EXAMPLES })
  @ApiResponse({ status: 200, type: ToolWithMessageDto, description: 'The tool was updated.' })
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
  @ApiOperation({
    operationId: 'deleteTool',
    summary: 'Delete a tool',
    description: 'Deletes the tool with its webhook actions. Tools of MCP servers are deleted with their server.',
  })
  @ApiToolId()
  @ApiResponse({ status: 200, type: ToolDeletedDto, description: 'The tool is deleted.' })
  @ApiErrors(404, [409, 'ToolOfMcpServer', 'The tool belongs to an MCP server.'])
  async delete(@Actor() who: Acting, @AgentId() agentId: number, @ToolId() id: number): Promise<ToolDeletedDto> {
    await this.tools.delete({ ...who, agentId }, id);
    return { message: 'Tool deleted successfully.' };
  }
}
