import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { McpRefreshService, McpServersService, type McpServerView } from '@app/tools';
import {
  Body,
  Controller,
  Delete,
  Get,
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
import { ConcurrencyLimit } from '../http/server/long-requests.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { AgentId, ApiAgentId, PathId } from '../http/validation/path-params.js';
import {
  CreateMcpServerDto,
  FoundMcpServerDto,
  McpServerDeletedDto,
  McpServerListDto,
  McpServerWithMessageDto,
  toMcpServerChanges,
  toNewMcpServer,
  UPDATE_MCP_SERVER_EXAMPLES,
  UpdateMcpServerDto,
} from './mcp-servers.dto.js';

const MAX_PER_ACCOUNT = 4;

/** Limits concurrent requests that wait for an MCP server, each for at most two minutes. */
@Injectable()
export class McpServerLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 32,
      mostPerAccount: MAX_PER_ACCOUNT,
      accountIsFull: `Only ${MAX_PER_ACCOUNT} MCP servers can be connected to at once. Wait for one to finish.`,
      processIsFull: 'Too many MCP servers are being connected to at the moment. Try again.',
    });
  }
}

const ServerId = (): ParameterDecorator => PathId('id', 'MCP server', 'mcp_servers');
const ApiServerId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the MCP server.', schema: { type: 'integer', minimum: 1 } });

@ApiTags('MCP servers')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/mcp-servers')
export class McpServersController {
  constructor(
    private readonly servers: McpServersService,
    private readonly checks: McpRefreshService,
    private readonly limit: McpServerLimit,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('tools:read')
  @ApiOperation({
    operationId: 'listMcpServers',
    summary: 'List MCP servers',
    description: 'Returns the MCP servers of the agent with their pinned tools, newest first.',
  })
  @ApiResponse({ status: 200, type: McpServerListDto, description: 'A page of MCP servers.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { servers, total } = await this.servers.page({ accountId, agentId }, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), servers, { ...place, total });
  }

  @Post()
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'createMcpServer',
    summary: 'Add an MCP server',
    description:
      'Connects to the server, reads its tools and pins their names, descriptions and schemas. They are tools of the agent in conversations that start after the request. Returns 422 on `url` if the tools cannot be read.',
  })
  @ApiBody({ type: CreateMcpServerDto })
  @ApiResponse({ status: 201, type: McpServerWithMessageDto, description: 'The MCP server was added.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  async create(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Body() body: CreateMcpServerDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<McpServerWithMessageDto> {
    const create = () => this.servers.create({ ...who, agentId }, toNewMcpServer(body));
    return { message: 'MCP server created successfully.', data: await this.within(who, response, create) };
  }

  @Get(':id')
  @Scopes('tools:read')
  @ApiOperation({
    operationId: 'getMcpServer',
    summary: 'Retrieve an MCP server',
    description: 'Returns the server with its pinned tools and the differences that the last check found.',
  })
  @ApiServerId()
  @ApiResponse({ status: 200, type: FoundMcpServerDto, description: 'The MCP server.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @ServerId() id: number,
  ): Promise<FoundMcpServerDto> {
    return { data: await this.servers.find({ accountId, agentId }, id) };
  }

  @Put(':id')
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'updateMcpServer',
    summary: 'Update an MCP server',
    description:
      'Updates the given fields. A new `url`, `headers` or `tools` connects to the server again and pins its tools anew. Conversations in progress keep the previous tools.',
  })
  @ApiServerId()
  @ApiBody({ type: UpdateMcpServerDto, examples: UPDATE_MCP_SERVER_EXAMPLES })
  @ApiResponse({ status: 200, type: McpServerWithMessageDto, description: 'The MCP server was updated.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  async update(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @ServerId() id: number,
    @Body() body: UpdateMcpServerDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<McpServerWithMessageDto> {
    const update = () => this.servers.update({ ...who, agentId }, id, toMcpServerChanges(body));
    return { message: 'MCP server updated successfully.', data: await this.within(who, response, update) };
  }

  @Patch(':id')
  @Scopes('tools:write')
  @ApiOperation({ operationId: 'patchMcpServer', summary: 'Update an MCP server', description: 'Equivalent to PUT.' })
  @ApiServerId()
  @ApiBody({ type: UpdateMcpServerDto, examples: UPDATE_MCP_SERVER_EXAMPLES })
  @ApiResponse({ status: 200, type: McpServerWithMessageDto, description: 'The MCP server was updated.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  patch(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @ServerId() id: number,
    @Body() body: UpdateMcpServerDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<McpServerWithMessageDto> {
    return this.update(who, agentId, id, body, response);
  }

  @Post(':id/refresh')
  @HttpCode(200)
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'refreshMcpServer',
    summary: 'Check an MCP server',
    description:
      'Reads the tools of the server, as the service also does once a day, and compares them with the pinned ones. A difference sets `state` to `changed`; the pinned tools stay until it is accepted.',
  })
  @ApiServerId()
  @ApiResponse({ status: 200, type: McpServerWithMessageDto, description: 'The server was checked; see `state`.' })
  @ApiErrors(404, 409)
  async refresh(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @ServerId() id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<McpServerWithMessageDto> {
    const refresh = () => this.checks.refresh({ ...who, agentId }, id);
    return { message: 'MCP server checked.', data: await this.within(who, response, refresh) };
  }

  @Post(':id/accept')
  @HttpCode(200)
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'acceptMcpServerChanges',
    summary: 'Accept the changes of an MCP server',
    description: 'Pins the tools exactly as the last check reported them in `changes`.',
  })
  @ApiServerId()
  @ApiResponse({ status: 200, type: McpServerWithMessageDto, description: 'The changed tools are pinned.' })
  @ApiErrors(404, [
    409,
    'ToolsNotAccepted',
    'The last check found no difference, or the agent would have too many tools.',
  ])
  async accept(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @ServerId() id: number,
  ): Promise<McpServerWithMessageDto> {
    return { message: 'MCP server changes accepted.', data: await this.servers.accept({ ...who, agentId }, id) };
  }

  @Delete(':id')
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'deleteMcpServer',
    summary: 'Delete an MCP server',
    description: 'Deletes the server with its tools.',
  })
  @ApiServerId()
  @ApiResponse({ status: 200, type: McpServerDeletedDto, description: 'The MCP server is deleted.' })
  @ApiErrors(404)
  async delete(@Actor() who: Acting, @AgentId() agentId: number, @ServerId() id: number): Promise<McpServerDeletedDto> {
    await this.servers.delete({ ...who, agentId }, id);
    return { message: 'MCP server deleted successfully.' };
  }

  private async within(
    { accountId }: Acting,
    response: Response,
    work: () => Promise<McpServerView>,
  ): Promise<McpServerView> {
    const release = this.limit.acquire(accountId, response);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
