import { AgentDeletionService, AgentsService } from '@app/agents';
import { AgentPublicationService } from '@app/simulation';
import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Controller, Delete, Get, Headers, Inject, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ReadsWholeBody } from '../http/server/body.guard.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { disconnectSignal } from '../http/server/long-requests.js';
import { ListUrl, pageOf, placeOf } from '../http/responses/pagination.js';
import { AgentId, ApiAgentId, ApiIdempotencyKey } from '../http/validation/path-params.js';
import {
  AgentListDto,
  AgentWithMessageDto,
  CREATE_AGENT_EXAMPLES,
  CreateAgentDto,
  FoundAgentDto,
  ListAgentsDto,
  UPDATE_AGENT_EXAMPLES,
  UpdateAgentDto,
} from './agents.dto.js';
import { AgentWarningsService } from './agent-warnings.service.js';
import { AgentDeletedDto, DeleteAgentQueryDto } from './delete-agent.dto.js';

@ApiTags('Agents')
@Controller('api/v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    private readonly publication: AgentPublicationService,
    private readonly deletion: AgentDeletionService,
    private readonly warnings: AgentWarningsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'listAgents',
    summary: 'List agents',
    description: 'Returns the agents of the account, sorted by name, without their longer settings.',
  })
  @ApiResponse({ status: 200, type: AgentListDto, description: 'A page of agents.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: ListAgentsDto,
    @Req() request: Request,
  ): Promise<AgentListDto> {
    const place = placeOf(query);
    const { agents, total } = await this.agents.list(accountId, place, query.search);
    const { warnings } = await this.warnings.ofList(accountId, agents);
    const list = pageOf(new ListUrl(request, this.env.PUBLIC_URL), agents, { ...place, total });
    return { ...list, ...(warnings && { warnings }) };
  }

  @Post()
  @Scopes('agents:write')
  @ReadsWholeBody()
  @ApiOperation({
    operationId: 'createAgent',
    summary: 'Create an agent',
    description:
      'Absent settings have their defaults. The settings are version 1; `publish_requires` applies from the next change on.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreateAgentDto, examples: CREATE_AGENT_EXAMPLES })
  @ApiResponse({ status: 201, type: AgentWithMessageDto, description: 'The agent was created.' })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(
    @Actor() who: Acting,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentWithMessageDto> {
    const body = (request.body ?? {}) as object;
    const key = idempotencyKey(header, { new_agent: true, ...body });
    const { view, ignored, replayed } = await this.agents.create(who, body, key);
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return {
      message: 'Agent created successfully.',
      data: view,
      ...(await this.warnings.ofStored(who.accountId, view)),
    };
  }

  @Get(':agent_id')
  @Scopes('agents:read')
  @ApiAgentId()
  @ApiOperation({
    operationId: 'getAgent',
    summary: 'Retrieve an agent',
    description: 'Returns the agent with its current settings. Values of webhook headers are masked.',
  })
  @ApiResponse({ status: 200, type: FoundAgentDto, description: 'The agent.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @AgentId() agentId: number): Promise<FoundAgentDto> {
    const data = await this.agents.find({ accountId, agentId });
    return { data, ...(await this.warnings.ofStored(accountId, data)) };
  }

  @Put(':agent_id')
  @Scopes('agents:write')
  @ReadsWholeBody()
  @ApiAgentId()
  @ApiOperation({
    operationId: 'updateAgent',
    summary: 'Update an agent',
    description:
      'Updates the given fields. A change of the settings makes a new version, which new calls get at once; calls that exist keep their version, and a canary ends. `name`, `active`, `tools`, `scenarios` and `publish_requires` are not part of a version. With `publish_requires`, the response waits for the simulations, at most two minutes.',
  })
  @ApiBody({ type: UpdateAgentDto, examples: UPDATE_AGENT_EXAMPLES })
  @ApiResponse({ status: 200, type: AgentWithMessageDto, description: 'The agent was updated.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  async update(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentWithMessageDto> {
    const signal = disconnectSignal(response);
    const { view, ignored } = await this.publication.update({ ...who, agentId }, request.body ?? {}, signal);
    addIgnoredFields(response, ignored);
    return {
      message: 'Agent updated successfully.',
      data: view,
      ...(await this.warnings.ofStored(who.accountId, view)),
    };
  }

  @Patch(':agent_id')
  @Scopes('agents:write')
  @ReadsWholeBody()
  @ApiAgentId()
  @ApiOperation({ operationId: 'patchAgent', summary: 'Update an agent', description: 'Equivalent to PUT.' })
  @ApiBody({ type: UpdateAgentDto, examples: UPDATE_AGENT_EXAMPLES })
  @ApiResponse({ status: 200, type: AgentWithMessageDto, description: 'The agent was updated.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  patch(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentWithMessageDto> {
    return this.update(who, agentId, request, response);
  }

  @Delete(':agent_id')
  @Scopes('agents:write')
  @ApiAgentId()
  @ApiOperation({
    operationId: 'deleteAgent',
    summary: 'Delete an agent',
    description:
      'Deletes the agent with its versions, scenarios, tools, and the knowledge bases that only it uses. Its calls remain, with its name. Its phone numbers have no agent afterwards, which `warnings` names, unless `reassign_to` gives them to another agent; with `if_unused` an agent that answers numbers is not deleted (409). 409 also while it has active or queued calls, or while other agents share its knowledge bases.',
  })
  @ApiResponse({ status: 200, type: AgentDeletedDto, description: 'The agent is deleted.' })
  @ApiErrors(404, 422, [
    409,
    'AgentInUse',
    'An agent with active or queued calls cannot be deleted. Wait for them to end, or cancel them.',
  ])
  async delete(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Query() { if_unused: ifUnused, reassign_to: reassignTo }: DeleteAgentQueryDto,
  ): Promise<AgentDeletedDto> {
    const options = { ifUnused: ifUnused === 'true', reassignTo };
    const left = await this.deletion.delete({ ...who, agentId }, options);
    const warnings = left.map(({ id, name, e164 }) => ({
      code: 'number_without_agent',
      field: `numbers.${id}`,
      message: `Calls to ${e164} (${name}) are not answered any more: the number has no agent.`,
    }));
    return { message: 'Agent deleted successfully.', ...(warnings.length > 0 && { warnings }) };
  }
}
