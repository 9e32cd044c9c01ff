import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { AgentId, ApiAgentId } from '../http/validation/path-params.js';
import { unansweredQuestionOf, UnansweredQuestionListDto } from './unanswered-questions.dto.js';
import { UnansweredQuestionsService } from './unanswered-questions.service.js';

@ApiTags('Knowledge bases')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/knowledge-bases/unanswered-questions')
export class UnansweredQuestionsController {
  constructor(private readonly questions: UnansweredQuestionsService) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'listUnansweredQuestions',
    summary: 'List unanswered questions',
    description:
      'Returns the searches of the last 200 calls of the agent that found nothing, or only passages without a word of the question (`nearest` is the best of these: it may answer the question or not), one entry per question. Left out are searches from which redaction has removed a secret, those of deleted transcripts, failed ones, and questions that a retrieval test asks.',
  })
  @ApiResponse({ status: 200, type: UnansweredQuestionListDto, description: 'The questions.' })
  @ApiErrors(404)
  async list(@AccountId() accountId: number, @AgentId() agentId: number): Promise<UnansweredQuestionListDto> {
    return { data: (await this.questions.list({ accountId, agentId })).map(unansweredQuestionOf) };
  }
}
