import { type ActingTenant, NumbersService } from '@app/accounts';
import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, Headers, Inject, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes, TenantActor } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { ApiIdempotencyKey, PathId } from '../http/validation/path-params.js';
import {
  CREATE_NUMBER_EXAMPLES,
  CreateNumberDto,
  FoundNumberDto,
  NumberDeletedDto,
  NumberListDto,
  NumberWithMessageDto,
  UPDATE_NUMBER_EXAMPLES,
  UpdateNumberDto,
} from './numbers.dto.js';

const NumberId = (): ParameterDecorator => PathId('numberId', 'Number', 'phone_numbers');
const ApiNumberId = (): MethodDecorator =>
  ApiParam({
    name: 'numberId',
    description: 'The `id` of the number.',
    schema: { type: 'integer', minimum: 1, example: 1 },
  });

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
    description: 'Returns the phone numbers of the account, sorted by name.',
  })
  @ApiResponse({ status: 200, type: NumberListDto, description: 'A page of phone numbers.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<NumberListDto> {
    const place = placeOf(query);
    const { numbers, total } = await this.numbers.list(accountId, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), numbers, { ...place, total });
  }

  @Post()
  @Scopes('numbers:write')
  @ApiOperation({
    operationId: 'createNumber',
    summary: 'Create a phone number',
    description:
      'Adds a number that the account may show as caller ID and whose inbound calls an agent may answer. Without a `name` it is named like the number. The number must belong to you at the carrier of your trunk.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreateNumberDto, examples: CREATE_NUMBER_EXAMPLES })
  @ApiResponse({ status: 201, type: NumberWithMessageDto, description: 'The number was created.' })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(
    @TenantActor() who: ActingTenant,
    @Body() body: CreateNumberDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NumberWithMessageDto> {
    const key = idempotencyKey(header, { number: request.body as object });
    const { view, ignored, replayed } = await this.numbers.create(who, body, key);
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Number created successfully.', data: view };
  }

  @Get(':numberId')
  @Scopes('numbers:read')
  @ApiOperation({ operationId: 'getNumber', summary: 'Retrieve a phone number' })
  @ApiNumberId()
  @ApiResponse({ status: 200, type: FoundNumberDto, description: 'The number.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @NumberId() id: number): Promise<FoundNumberDto> {
    return { data: await this.numbers.find(accountId, id) };
  }

  @Patch(':numberId')
  @Scopes('numbers:write')
  @ApiOperation({
    operationId: 'updateNumber',
    summary: 'Update a phone number',
    description: 'Updates the given fields. Calls that were created before keep the previous number.',
  })
  @ApiNumberId()
  @ApiBody({ type: UpdateNumberDto, examples: UPDATE_NUMBER_EXAMPLES })
  @ApiResponse({ status: 200, type: NumberWithMessageDto, description: 'The number was updated.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async update(
    @TenantActor() who: ActingTenant,
    @NumberId() id: number,
    @Body() body: UpdateNumberDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NumberWithMessageDto> {
    const { view, ignored } = await this.numbers.update(who, id, body);
    addIgnoredFields(response, ignored);
    return { message: 'Number updated successfully.', data: view };
  }

  @Delete(':numberId')
  @Scopes('numbers:write')
  @ApiOperation({
    operationId: 'deleteNumber',
    summary: 'Delete a phone number',
    description:
      'Deletes the number unless calls from or to it are queued or active. Past calls keep `from_number`, `to_number` and `number_id`. Agents that show it in transfers show the number of the call instead.',
  })
  @ApiNumberId()
  @ApiResponse({ status: 200, type: NumberDeletedDto, description: 'The number is deleted.' })
  @ApiErrors(404, [
    409,
    'NumberInUse',
    'The number cannot be deleted while calls from or to it are queued or active. Wait until they end, or cancel them.',
  ])
  async delete(@Actor() who: Acting, @NumberId() id: number): Promise<NumberDeletedDto> {
    await this.numbers.delete(who, id);
    return { message: 'Number deleted successfully.' };
  }
}
