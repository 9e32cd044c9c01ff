import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { KnowledgeBasesService, knowledgeBaseView } from '@app/knowledge';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Inject,
  Patch,
  Post,
  Put,
  Query,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope } from '../http/pagination.js';
import {
  CREATE_EXAMPLES,
  CreateKnowledgeBaseDto,
  idempotencyKeyOf,
  toCreateKnowledgeBaseCommand,
  UploadKnowledgeBaseDto,
} from './create-knowledge-base.dto.js';
import {
  FoundKnowledgeBaseDto,
  KnowledgeBaseDeletedDto,
  KnowledgeBaseListDto,
  KnowledgeBaseWithMessageDto,
} from './knowledge-base.dto.js';
import { ListKnowledgeBasesDto } from './list-knowledge-bases.dto.js';
import { AgentId, ApiAgentId, ApiKnowledgeBaseId, KnowledgeBaseId } from './path-ids.js';
import { UpdateKnowledgeBaseDto } from './update-knowledge-base.dto.js';
import { UploadInterceptor } from './upload.interceptor.js';

const PER_PAGE = 15;
/** By another update, at the same moment. */
const CHANGED_MEANWHILE = 'The knowledge base was changed meanwhile. Try again.';

@ApiTags('Knowledge bases')
@ApiAgentId()
@ApiExtraModels(UploadKnowledgeBaseDto)
@Controller('api/v1/agents/:agent_id/knowledge-bases')
export class KnowledgeBasesController {
  constructor(
    private readonly knowledgeBases: KnowledgeBasesService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('knowledge:read')
  @ApiOperation({
    operationId: 'listKnowledgeBases',
    summary: 'List knowledge bases',
    description: "The agent's knowledge bases, newest first.",
  })
  @ApiResponse({ status: 200, type: KnowledgeBaseListDto, description: 'A page of knowledge bases.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: ListKnowledgeBasesDto,
    @Req() request: Request,
  ): Promise<object> {
    const { page = 1, per_page: perPage = PER_PAGE, status, source_type: sourceType, search } = query;
    const filter = { status, sourceType, search };
    const { knowledgeBases, total } = await this.knowledgeBases.list({ accountId, agentId }, filter, { page, perPage });
    const facts = { page, perPage, shown: knowledgeBases.length, total, isEstimate: false };
    return {
      data: knowledgeBases.map(knowledgeBaseView),
      ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts),
    };
  }

  @Post()
  @UseInterceptors(UploadInterceptor)
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'createKnowledgeBase',
    summary: 'Create a knowledge base',
    description:
      'A text can be searched when this answers. An address (JSON) is fetched and a file (multipart form) is read in the background: read the knowledge base until its `status` is `completed` or `failed`.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a repetition safe for 24 hours: the same key with the same body (of a file: its name and content) gets the first answer again (with `Idempotent-Replayed: true`) and makes nothing; with another body it is 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  })
  @ApiBody({ type: CreateKnowledgeBaseDto, examples: CREATE_EXAMPLES })
  @ApiResponse({ status: 201, type: KnowledgeBaseWithMessageDto, description: 'The knowledge base was created.' })
  @ApiErrors(400, 404, 409, 413, 415, 422, 429)
  async create(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Body() body: CreateKnowledgeBaseDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<KnowledgeBaseWithMessageDto> {
    const key = idempotencyKeyOf(header, agentId, request.body);
    const { view, replayed } = await this.knowledgeBases.create(
      { ...who, agentId },
      toCreateKnowledgeBaseCommand(body),
      key,
    );
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Knowledge base created successfully.', data: view };
  }

  @Get(':id')
  @Scopes('knowledge:read')
  @ApiOperation({ operationId: 'getKnowledgeBase', summary: 'Read one knowledge base' })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: FoundKnowledgeBaseDto, description: 'The knowledge base.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
  ): Promise<FoundKnowledgeBaseDto> {
    return { data: knowledgeBaseView(await this.knowledgeBases.find({ accountId, agentId }, id)) };
  }

  @Put(':id')
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'updateKnowledgeBase',
    summary: 'Update a knowledge base',
    description: 'Changes what is given. A new text is found by searches when this answers, the old one until then.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgeBaseWithMessageDto, description: 'The knowledge base was changed.' })
  @ApiErrors(400, 404, [409, CHANGED_MEANWHILE], 413, 415, 422)
  async update(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
    @Body() body: UpdateKnowledgeBaseDto,
  ): Promise<KnowledgeBaseWithMessageDto> {
    const changes = {
      title: body.title ?? undefined,
      content: body.content ?? undefined,
      isActive: body.is_active ?? undefined,
    };
    const updated = await this.knowledgeBases.update({ ...who, agentId }, id, changes);
    return { message: 'Knowledge base updated successfully.', data: knowledgeBaseView(updated) };
  }

  @Patch(':id')
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'patchKnowledgeBase',
    summary: 'Update a knowledge base',
    description: 'The same as PUT.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgeBaseWithMessageDto, description: 'The knowledge base was changed.' })
  @ApiErrors(400, 404, [409, CHANGED_MEANWHILE], 413, 415, 422)
  patch(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
    @Body() body: UpdateKnowledgeBaseDto,
  ): Promise<KnowledgeBaseWithMessageDto> {
    return this.update(who, agentId, id, body);
  }

  @Delete(':id')
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'deleteKnowledgeBase',
    summary: 'Delete a knowledge base',
    description: 'With its file and its passages, also while it is being processed.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgeBaseDeletedDto, description: 'The knowledge base is gone.' })
  @ApiErrors(404)
  async delete(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
  ): Promise<KnowledgeBaseDeletedDto> {
    await this.knowledgeBases.delete({ ...who, agentId }, id);
    return { message: 'Knowledge base deleted successfully.' };
  }

  @Post(':id/reprocess')
  @HttpCode(200)
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'reprocessKnowledgeBase',
    summary: 'Process a knowledge base again',
    description:
      'Fetches the address again, reads the file again, or cuts the text into passages again. What searches find stays until the new passages are there. 409 while it is `processing`; one that is `pending` has its turn now.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgeBaseWithMessageDto, description: 'It waits, or (a text) is done.' })
  @ApiErrors(404, [409, 'The knowledge base is being processed. Wait until it is completed or failed.'])
  async reprocess(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
  ): Promise<KnowledgeBaseWithMessageDto> {
    const begun = await this.knowledgeBases.reprocess({ ...who, agentId }, id);
    return { message: 'Knowledge base is being processed again.', data: knowledgeBaseView(begun) };
  }
}
