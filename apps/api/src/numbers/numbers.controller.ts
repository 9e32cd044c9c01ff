import { NumbersService } from '@app/accounts';
import type { Env } from '@app/common';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope } from '../http/pagination.js';
import { ListNumbersDto, NumberListDto } from './number.dto.js';

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
    description: "The account's phone numbers by name, for their ids. They are made with `bin/trunkline apply`.",
  })
  @ApiResponse({ status: 200, type: NumberListDto, description: 'A page of phone numbers.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: ListNumbersDto,
    @Req() request: Request,
  ): Promise<NumberListDto> {
    const { page = 1, per_page: perPage = PER_PAGE } = query;
    const { numbers, total } = await this.numbers.list(accountId, { page, perPage });
    const facts = { page, perPage, shown: numbers.length, total, isEstimate: false };
    return { data: numbers, ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }
}
