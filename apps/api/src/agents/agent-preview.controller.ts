import { AgentPreviewService } from '@app/agents';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { AgentId, ApiAgentId } from '../http/validation/path-params.js';
import { AgentPreviewedDto, PreviewAgentDto, previewView, toPreviewRequest } from './agent-preview.dto.js';

@ApiTags('Agents')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/preview')
export class AgentPreviewController {
  constructor(private readonly previews: AgentPreviewService) {}

  @Post()
  @HttpCode(200)
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'previewAgent',
    summary: 'Preview the texts of an agent',
    description:
      'Renders instructions, greeting, message for answering machines, phrases and tool descriptions for given values. Given settings replace the stored ones, so that unsaved texts can be previewed; nothing is saved.',
  })
  @ApiResponse({ status: 200, type: AgentPreviewedDto, description: 'The rendered texts.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async preview(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Body() body: PreviewAgentDto,
  ): Promise<AgentPreviewedDto> {
    return { data: previewView(await this.previews.preview(accountId, agentId, toPreviewRequest(body))) };
  }
}
