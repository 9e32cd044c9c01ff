import { KnowledgeSearchService } from '@app/knowledge';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiErrors } from '../http/api-errors.js';
import { clientDisconnected, disconnectSignal } from '../http/client-disconnect.js';
import { AgentId, ApiAgentId } from './path-ids.js';
import { FoundPassagesDto, LIMIT, passageOf, SearchDto } from './search.dto.js';

@ApiTags('Knowledge bases')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/knowledge-bases/search')
export class SearchController {
  constructor(private readonly knowledge: KnowledgeSearchService) {}

  @Post()
  @HttpCode(200)
  @Scopes('knowledge:read')
  @ApiOperation({
    operationId: 'searchKnowledgeBases',
    summary: 'Search the knowledge bases of an agent',
    description: 'Finds the passages that the agent would be given, best first. Only what is active is searched.',
  })
  @ApiResponse({ status: 200, type: FoundPassagesDto, description: 'The passages.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async search(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Body() { query, limit }: SearchDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FoundPassagesDto> {
    const left = disconnectSignal(response);
    try {
      const options = { limit: limit ?? LIMIT, signal: left };
      const found = await this.knowledge.searchExisting({ accountId, agentId }, query, options);
      return { data: found.map(passageOf) };
    } catch (error) {
      throw left.aborted ? clientDisconnected() : error;
    }
  }
}
