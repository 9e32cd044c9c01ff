import { AgentsService } from '@app/accounts';
import type { Env } from '@app/common';
import { ENV } from '@app/settings';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope, PageQueryDto } from '../http/pagination.js';
import { AgentListDto } from './agents.dto.js';

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
    description: 'Returns the agents of the account, sorted by name. Agents are created with `bin/trunkline apply`.',
  })
  @ApiResponse({ status: 200, type: AgentListDto, description: 'A page of agents.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<AgentListDto> {
    const { page = 1, per_page: perPage = PER_PAGE } = query;
    const { agents, total } = await this.agents.list(accountId, { page, perPage });
    const facts = { page, perPage, shown: agents.length, total, isEstimate: false };
    return { data: agents, ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }
}
