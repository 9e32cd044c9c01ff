import { AgentsService } from '@app/accounts';
import type { Env } from '@app/common';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope } from '../http/pagination.js';
import { AgentListDto, ListAgentsDto } from './agent.dto.js';

const PER_PAGE = 15;

@ApiTags('Agents')
@Controller('api/v1/agents')
export class AgentsController {
  constructor(
    private readonly agents: AgentsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'listAgents',
    summary: 'List agents',
    description: "The account's agents by name, for their ids. They are made with `bin/trunkline apply`.",
  })
  @ApiResponse({ status: 200, type: AgentListDto, description: 'A page of agents.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: ListAgentsDto,
    @Req() request: Request,
  ): Promise<AgentListDto> {
    const { page = 1, per_page: perPage = PER_PAGE } = query;
    const { agents, total } = await this.agents.list(accountId, { page, perPage });
    const facts = { page, perPage, shown: agents.length, total, isEstimate: false };
    return { data: agents, ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }
}
