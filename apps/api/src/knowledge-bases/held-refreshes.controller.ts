import type { Acting } from '@app/audit';
import { HeldRefreshesService, KnowledgeBasesService } from '@app/knowledge';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { AgentId, ApiAgentId, ApiKnowledgeBaseId, KnowledgeBaseId } from '../http/validation/path-params.js';
import { KnowledgeBaseWithMessageDto } from './knowledge-base.dto.js';

const NOT_HELD = 'The knowledge base has no refresh that is held back.';

/** Decisions about refreshes that are held back because retrieval tests would fail. */
@ApiTags('Knowledge bases')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/knowledge-bases/:id')
export class HeldRefreshesController {
  constructor(
    private readonly refreshes: HeldRefreshesService,
    private readonly knowledgeBases: KnowledgeBasesService,
  ) {}

  @Post('release')
  @HttpCode(200)
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'releaseKnowledgeBaseRefresh',
    summary: 'Serve a refresh that is held back',
    description:
      'Makes the refreshed passages searchable although retrieval tests fail with them. Returns 409 if no refresh is held back, and while the status is `processing`.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgeBaseWithMessageDto, description: 'The refresh is served.' })
  @ApiErrors(404, [409, 'NoHeldRefresh', NOT_HELD])
  async release(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
  ): Promise<KnowledgeBaseWithMessageDto> {
    const released = await this.refreshes.release({ ...who, agentId }, id);
    return { message: 'The refresh is served.', data: this.knowledgeBases.viewOf(released) };
  }

  @Post('discard')
  @HttpCode(200)
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'discardKnowledgeBaseRefresh',
    summary: 'Discard a refresh that is held back',
    description:
      'Deletes the refreshed passages and keeps the served ones. The next refresh fetches the page again. Returns 409 if no refresh is held back.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgeBaseWithMessageDto, description: 'The refresh is discarded.' })
  @ApiErrors(404, [409, 'NoHeldRefresh', NOT_HELD])
  async discard(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
  ): Promise<KnowledgeBaseWithMessageDto> {
    const discarded = await this.refreshes.discard({ ...who, agentId }, id);
    return { message: 'The refresh is discarded.', data: this.knowledgeBases.viewOf(discarded) };
  }
}
