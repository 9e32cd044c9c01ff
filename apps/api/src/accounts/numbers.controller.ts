import { NumbersService } from '@app/accounts';
import type { Env } from '@app/common';
import { ENV } from '@app/settings';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope, PageQueryDto } from '../http/pagination.js';
import { NumberListDto } from './numbers.dto.js';

const PER_PAGE = 15;

@ApiTags('Numbers')
@Controller('api/v1/numbers')
export class NumbersController {
  constructor(
    private readonly numbers: NumbersService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('numbers:read')
  @ApiOperation({
    operationId: 'listNumbers',
    summary: 'List phone numbers',
    description:
      'Returns the phone numbers of the account, sorted by name. Numbers are created with `bin/trunkline apply`.',
  })
  @ApiResponse({ status: 200, type: NumberListDto, description: 'A page of phone numbers.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<NumberListDto> {
    const { page = 1, per_page: perPage = PER_PAGE } = query;
    const { numbers, total } = await this.numbers.list(accountId, { page, perPage });
    const facts = { page, perPage, shown: numbers.length, total, isEstimate: false };
    return { data: numbers, ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }
}
