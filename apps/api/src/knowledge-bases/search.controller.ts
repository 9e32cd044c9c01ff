import { EmbedderChecksService, KnowledgeSearchService } from '@app/knowledge';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { clientDisconnected, disconnectSignal } from '../http/server/long-requests.js';
import { AgentId, ApiAgentId } from '../http/validation/path-params.js';
import {
  embedderCheckOf,
  FoundPassagesDto,
  LIMIT,
  passageOf,
  queriesOf,
  SEARCH_EXAMPLES,
  SearchDto,
} from './search.dto.js';

@ApiTags('Knowledge bases')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/knowledge-bases/search')
export class SearchController {
  constructor(
    private readonly knowledge: KnowledgeSearchService,
    private readonly checks: EmbedderChecksService,
  ) {}

  @Post()
  @HttpCode(200)
  @Scopes('knowledge:read')
  @ApiOperation({
    operationId: 'searchKnowledgeBases',
    summary: 'Search the knowledge bases of an agent',
    description: 'Returns the passages that the agent would receive, best first. Searches active knowledge bases only.',
  })
  @ApiBody({ type: SearchDto, examples: SEARCH_EXAMPLES })
  @ApiResponse({ status: 200, type: FoundPassagesDto, description: 'The passages.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async search(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Body() search: SearchDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FoundPassagesDto> {
    const disconnected = disconnectSignal(response);
    try {
      const agent = { accountId, agentId, knowledgeBaseIds: search.knowledge_base_ids };
      const options = { limit: search.limit ?? LIMIT, signal: disconnected };
      const [found, check] = await Promise.all([
        this.knowledge.searchExisting(agent, queriesOf(search), options),
        this.checks.last(agent),
      ]);
      return { data: found.map(passageOf), meta: { embedder: check ? embedderCheckOf(check) : null } };
    } catch (error) {
      throw disconnected.aborted ? clientDisconnected() : error;
    }
  }
}
