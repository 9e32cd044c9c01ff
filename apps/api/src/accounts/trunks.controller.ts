import { TrunksService } from '@app/accounts';
import type { Env } from '@app/common';
import { ENV } from '@app/settings';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope, PageQueryDto } from '../http/pagination.js';
import { PathId } from '../http/path-params.js';
import { FoundTrunkDto, TrunkListDto } from './trunks.dto.js';

const PER_PAGE = 15;

@ApiTags('Trunks')
@Controller('api/v1/trunks')
export class TrunksController {
  constructor(
    private readonly trunks: TrunksService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('trunks:read')
  @ApiOperation({
    operationId: 'listTrunks',
    summary: 'List trunks',
    description:
      'Returns the trunks of the account with their health, sorted by name. Trunks are created with `bin/trunkline apply`.',
  })
  @ApiResponse({ status: 200, type: TrunkListDto, description: 'A page of trunks.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: PageQueryDto, @Req() request: Request): Promise<object> {
    const { page = 1, per_page: perPage = PER_PAGE } = query;
    const { trunks, total } = await this.trunks.list(accountId, { page, perPage });
    const facts = { page, perPage, shown: trunks.length, total, isEstimate: false };
    return { data: trunks, ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }

  @Get(':trunkId')
  @Scopes('trunks:read')
  @ApiOperation({ operationId: 'getTrunk', summary: 'Retrieve a trunk' })
  @ApiParam({
    name: 'trunkId',
    description: 'The `id` of the trunk.',
    schema: { type: 'integer', minimum: 1, example: 1 },
  })
  @ApiResponse({ status: 200, type: FoundTrunkDto, description: 'The trunk.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @PathId('trunkId', 'Trunk') trunkId: number): Promise<FoundTrunkDto> {
    return { data: await this.trunks.find(accountId, trunkId) };
  }
}
