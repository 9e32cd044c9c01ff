import type { Env } from '@app/common';
import { readCursor } from '@app/database';
import { listedInvocationView, ToolInvocationsService } from '@app/tools';
import { Controller, Get, Inject, Param, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { cursorEnvelope, ListUrl, pageEnvelope } from '../http/pagination.js';
import { UuidPipe } from '../http/path-params.js';
import {
  FoundInvocationDto,
  InvocationListDto,
  invocationFilterOf,
  ListInvocationsDto,
} from './tool-invocation.dto.js';

const PER_PAGE = 15;
const INVOCATION_ID = new UuidPipe('Tool invocation');

/** The tool invocations of an account, in calls and outside of them. */
@ApiTags('Tools')
@Controller('api/v1/tool-invocations')
export class ToolInvocationsController {
  constructor(
    private readonly invocations: ToolInvocationsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('tools:read')
  @ApiOperation({
    operationId: 'listToolInvocations',
    summary: 'List tool invocations',
    description:
      'When which tool was invoked by whom, newest first, for 30 days; in calls, simulations and by `POST …/tools/{id}/invoke`. Actions that nobody waits for are among the webhook deliveries, too, and are replayed there.',
  })
  @ApiResponse({ status: 200, type: InvocationListDto, description: 'A page of invocations.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListInvocationsDto, @Req() request: Request) {
    const filter = invocationFilterOf(query);
    const perPage = query.per_page ?? PER_PAGE;
    const address = new ListUrl(request, this.env.PUBLIC_URL);
    if (query.cursor !== undefined || query.pagination === 'cursor') {
      const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
      const { rows, next, prev } = await this.invocations.slice(accountId, filter, { cursor, perPage });
      return { data: rows.map(listedInvocationView), ...cursorEnvelope(address, { perPage, next, prev }) };
    }
    const page = query.page ?? 1;
    const { rows, total } = await this.invocations.page(accountId, filter, { page, perPage });
    const facts = { page, perPage, shown: rows.length, total: total.count, isEstimate: total.isEstimate };
    return { data: rows.map(listedInvocationView), ...pageEnvelope(address, facts) };
  }

  @Get(':id')
  @Scopes('tools:read')
  @ApiOperation({
    operationId: 'getToolInvocation',
    summary: 'Read one tool invocation',
    description: 'With its arguments, its result, and every request that was made for it.',
  })
  @ApiParam({ name: 'id', description: 'The `invocation_id`.', schema: { type: 'string', format: 'uuid' } })
  @ApiResponse({ status: 200, type: FoundInvocationDto, description: 'The invocation.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @Param('id', INVOCATION_ID) id: string): Promise<FoundInvocationDto> {
    return { data: await this.invocations.find(accountId, id) };
  }
}
