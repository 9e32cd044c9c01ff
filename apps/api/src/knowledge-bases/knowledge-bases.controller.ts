import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { KnowledgeBasesService, knowledgePageView, knowledgePassageView } from '@app/knowledge';
import { ENV } from '@app/common/settings';
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
import { ApiBody, ApiExtraModels, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { BodyLimit, LARGE_BODY_KB, ReadsStream } from '../http/server/body.guard.js';
import {
  AgentId,
  ApiAgentId,
  ApiIdempotencyKey,
  ApiKnowledgeBaseId,
  KnowledgeBaseId,
} from '../http/validation/path-params.js';
import { CREATE_EXAMPLES, UPDATE_EXAMPLES, UploadKnowledgeBaseDto } from './request-examples.js';
import {
  FoundKnowledgeBaseDto,
  KnowledgeBaseDeletedDto,
  KnowledgeBaseListDto,
  KnowledgeBaseWithMessageDto,
} from './knowledge-base.dto.js';
import {
  CreateKnowledgeBaseDto,
  idempotencyKeyOf,
  ListKnowledgeBasesDto,
  toCreateKnowledgeBaseCommand,
  toKnowledgeChanges,
  UpdateKnowledgeBaseDto,
} from './knowledge-bases.dto.js';
import { KnowledgePassageListDto } from './passages.dto.js';
import { KnowledgePageListDto, ListPagesDto } from './url-source.dto.js';
import { UploadInterceptor } from './upload.interceptor.js';

/** The knowledge base was changed by a concurrent update, or is only shared with the agent. */
const CHANGED_OR_SHARED =
  'The knowledge base was changed meanwhile: try again. Or another agent owns it: use the path of that agent.';
const SHARED = 'Another agent owns the knowledge base. Use the path of that agent.';

@ApiTags('Knowledge bases')
@ApiAgentId()
@ApiExtraModels(UploadKnowledgeBaseDto)
@Controller('api/v1/agents/:agent_id/knowledge-bases')
@BodyLimit(LARGE_BODY_KB)
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
    description: 'Returns the knowledge bases of the agent and those that are shared with it, newest first.',
  })
  @ApiResponse({ status: 200, type: KnowledgeBaseListDto, description: 'A page of knowledge bases.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: ListKnowledgeBasesDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { status, source_type: sourceType, search } = query;
    const filter = { status, sourceType, search };
    const { knowledgeBases, total } = await this.knowledgeBases.list({ accountId, agentId }, filter, place);
    const views = knowledgeBases.map((one) => this.knowledgeBases.viewOf(one));
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), views, {
      ...place,
      total,
    });
  }

  @Post()
  @ReadsStream('multipart/form-data')
  @UseInterceptors(UploadInterceptor)
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'createKnowledgeBase',
    summary: 'Create a knowledge base',
    description:
      'Creates a knowledge base from a text, a URL (both as JSON) or a file (multipart form). Texts are searchable when the request returns. URLs and files are processed in the background: poll the knowledge base until its `status` is `completed` or `failed`.',
  })
  @ApiIdempotencyKey({ body: 'body (for a file: name and content)' })
  @ApiBody({ type: CreateKnowledgeBaseDto, examples: CREATE_EXAMPLES })
  @ApiResponse({ status: 201, type: KnowledgeBaseWithMessageDto, description: 'The knowledge base was created.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
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
  @ApiOperation({ operationId: 'getKnowledgeBase', summary: 'Retrieve a knowledge base' })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: FoundKnowledgeBaseDto, description: 'The knowledge base.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
  ): Promise<FoundKnowledgeBaseDto> {
    return {
      data: this.knowledgeBases.viewOf(await this.knowledgeBases.find({ accountId, agentId }, id)),
    };
  }

  @Get(':id/pages')
  @Scopes('knowledge:read')
  @ApiOperation({
    operationId: 'listKnowledgeBasePages',
    summary: 'List the pages of a crawl',
    description:
      'Returns the pages of the crawl that is under way, otherwise of the last one, those near the start first. Empty for other sources.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgePageListDto, description: 'A page of the list.' })
  @ApiErrors(404, 422)
  async pages(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
    @Query() query: ListPagesDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { state } = query;
    const { pages, total } = await this.knowledgeBases.listPages({ accountId, agentId }, id, state, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), pages.map(knowledgePageView), { ...place, total });
  }

  @Get(':id/passages')
  @Scopes('knowledge:read')
  @ApiOperation({
    operationId: 'listKnowledgeBasePassages',
    summary: 'List the passages of a knowledge base',
    description:
      'Returns the passages that searches find, in reading order. Empty before the knowledge base was processed for the first time.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgePassageListDto, description: 'A page of the list.' })
  @ApiErrors(404, 422)
  async passages(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { passages, total } = await this.knowledgeBases.listPassages({ accountId, agentId }, id, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), passages.map(knowledgePassageView), { ...place, total });
  }

  @Put(':id')
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'updateKnowledgeBase',
    summary: 'Update a knowledge base',
    description:
      'Updates the given fields. Searches return a new text after the response, the old text before. Only the path of the agent that owns the knowledge base can be used.',
  })
  @ApiKnowledgeBaseId()
  @ApiBody({ type: UpdateKnowledgeBaseDto, examples: UPDATE_EXAMPLES })
  @ApiResponse({ status: 200, type: KnowledgeBaseWithMessageDto, description: 'The knowledge base was updated.' })
  @ApiErrors(400, 404, [409, 'KnowledgeBaseChangedOrShared', CHANGED_OR_SHARED], 413, 415, 422)
  async update(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
    @Body() body: UpdateKnowledgeBaseDto,
  ): Promise<KnowledgeBaseWithMessageDto> {
    const updated = await this.knowledgeBases.update({ ...who, agentId }, id, toKnowledgeChanges(body));
    return { message: 'Knowledge base updated successfully.', data: this.knowledgeBases.viewOf(updated) };
  }

  @Patch(':id')
  @Scopes('knowledge:write')
  @ApiOperation({
    operationId: 'patchKnowledgeBase',
    summary: 'Update a knowledge base',
    description: 'Equivalent to PUT.',
  })
  @ApiKnowledgeBaseId()
  @ApiBody({ type: UpdateKnowledgeBaseDto, examples: UPDATE_EXAMPLES })
  @ApiResponse({ status: 200, type: KnowledgeBaseWithMessageDto, description: 'The knowledge base was updated.' })
  @ApiErrors(400, 404, [409, 'KnowledgeBaseChangedOrShared', CHANGED_OR_SHARED], 413, 415, 422)
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
    description:
      'Deletes the knowledge base with its file and passages, even during processing. Only the path of the agent that owns the knowledge base can be used; to end the sharing, update its `agent_ids`.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({ status: 200, type: KnowledgeBaseDeletedDto, description: 'The knowledge base is deleted.' })
  @ApiErrors(404, [409, 'KnowledgeBaseOfOtherAgent', SHARED])
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
    summary: 'Reprocess a knowledge base',
    description:
      'Fetches the URL, parses the file or splits the text into passages again. Searches return the old passages until the new ones are ready. A `pending` knowledge base is processed immediately. Returns 409 while the status is `processing`.',
  })
  @ApiKnowledgeBaseId()
  @ApiResponse({
    status: 200,
    type: KnowledgeBaseWithMessageDto,
    description: 'Processing is scheduled; for a text it is complete.',
  })
  @ApiErrors(404, [
    409,
    'KnowledgeBaseProcessing',
    `The knowledge base is being processed: wait until it is completed or failed. Or: ${SHARED}`,
  ])
  async reprocess(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @KnowledgeBaseId() id: number,
  ): Promise<KnowledgeBaseWithMessageDto> {
    const begun = await this.knowledgeBases.reprocess({ ...who, agentId }, id);
    return {
      message: 'Knowledge base is being processed again.',
      data: this.knowledgeBases.viewOf(begun),
    };
  }
}
