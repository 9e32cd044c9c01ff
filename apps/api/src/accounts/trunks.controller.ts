import { type ActingTenant, TrunkHealthService, TrunksService } from '@app/accounts';
import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes, TenantActor } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { ApiIdempotencyKey, PathId } from '../http/validation/path-params.js';
import {
  CREATE_TRUNK_EXAMPLES,
  CreateTrunkDto,
  TestedTrunkDto,
  UPDATE_TRUNK_EXAMPLES,
  UpdateTrunkDto,
} from './trunk-requests.dto.js';
import { FoundTrunkDto, TrunkDeletedDto, TrunkListDto, TrunkWithMessageDto } from './trunks.dto.js';

const TrunkId = (): ParameterDecorator => PathId('trunkId', 'Trunk', 'sip_trunks');
const ApiTrunkId = (): MethodDecorator =>
  ApiParam({
    name: 'trunkId',
    description: 'The `id` of the trunk.',
    schema: { type: 'integer', minimum: 1, example: 1 },
  });

@ApiTags('Trunks')
@Controller('api/v1/trunks')
export class TrunksController {
  constructor(
    private readonly trunks: TrunksService,
    private readonly health: TrunkHealthService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('trunks:read')
  @ApiOperation({
    operationId: 'listTrunks',
    summary: 'List trunks',
    description: 'Returns the trunks of the account with their health, sorted by name.',
  })
  @ApiResponse({ status: 200, type: TrunkListDto, description: 'A page of trunks.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: PageQueryDto, @Req() request: Request): Promise<object> {
    const place = placeOf(query);
    const { trunks, total } = await this.trunks.list(accountId, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), trunks, { ...place, total });
  }

  @Post()
  @Scopes('trunks:write')
  @ApiOperation({
    operationId: 'createTrunk',
    summary: 'Create a trunk',
    description:
      'A trunk has a `host` or a list of `targets`. Its hosts must be public addresses, or in the networks of `SIP_ALLOW_CIDRS`. `inbound.addresses` and `livekit_trunk_id` can be set by operators only, because they could reach calls of other accounts.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreateTrunkDto, examples: CREATE_TRUNK_EXAMPLES })
  @ApiResponse({ status: 201, type: TrunkWithMessageDto, description: 'The trunk was created.' })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(
    @TenantActor() who: ActingTenant,
    @Body() body: CreateTrunkDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TrunkWithMessageDto> {
    const key = idempotencyKey(header, { trunk: request.body as object });
    const { view, ignored, replayed } = await this.trunks.create(who, body, key);
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Trunk created successfully.', data: view };
  }

  @Get(':trunkId')
  @Scopes('trunks:read')
  @ApiOperation({ operationId: 'getTrunk', summary: 'Retrieve a trunk' })
  @ApiTrunkId()
  @ApiResponse({ status: 200, type: FoundTrunkDto, description: 'The trunk.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @TrunkId() trunkId: number): Promise<FoundTrunkDto> {
    return { data: await this.trunks.find(accountId, trunkId) };
  }

  @Patch(':trunkId')
  @Scopes('trunks:write')
  @ApiOperation({
    operationId: 'updateTrunk',
    summary: 'Update a trunk',
    description:
      'Updates the given fields, also those of `tls` and `inbound`; lists are replaced, and a `host` replaces the `targets`. A stored password is sent only to the place it was stored for: another host, port or transport needs the `password` again. Calls in progress keep the previous settings.',
  })
  @ApiTrunkId()
  @ApiBody({ type: UpdateTrunkDto, examples: UPDATE_TRUNK_EXAMPLES })
  @ApiResponse({ status: 200, type: TrunkWithMessageDto, description: 'The trunk was updated.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async update(
    @TenantActor() who: ActingTenant,
    @TrunkId() trunkId: number,
    @Body() body: UpdateTrunkDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TrunkWithMessageDto> {
    const { view, ignored } = await this.trunks.update(who, trunkId, body);
    addIgnoredFields(response, ignored);
    return { message: 'Trunk updated successfully.', data: view };
  }

  @Delete(':trunkId')
  @Scopes('trunks:write')
  @ApiOperation({
    operationId: 'deleteTrunk',
    summary: 'Delete a trunk',
    description:
      'Deletes the trunk unless calls are queued for it or active on it. Past calls keep their `trunk_id` and their SIP messages.',
  })
  @ApiTrunkId()
  @ApiResponse({ status: 200, type: TrunkDeletedDto, description: 'The trunk is deleted.' })
  @ApiErrors(404, [
    409,
    'TrunkInUse',
    'The trunk cannot be deleted while calls are queued for it or active on it. Wait until they end, or cancel them.',
  ])
  async delete(@Actor() who: Acting, @TrunkId() trunkId: number): Promise<TrunkDeletedDto> {
    await this.trunks.delete(who, trunkId);
    return { message: 'Trunk deleted successfully.' };
  }

  @Post(':trunkId/test')
  @HttpCode(200)
  @Scopes('trunks:write')
  @ApiOperation({
    operationId: 'testTrunk',
    summary: 'Test a trunk',
    description:
      'A dialer sends OPTIONS to every target, also of an inactive trunk, and the response shows the SIP status and the time of each. Takes a second or two, at most ten. Concurrent tests of a trunk share one result, and a result of the last two seconds is returned again.',
  })
  @ApiTrunkId()
  @ApiResponse({ status: 200, type: TestedTrunkDto, description: 'The responses of the targets.' })
  @ApiErrors(404, [503, 'NoDialer', 'No dialer is running.'])
  async test(@AccountId() accountId: number, @TrunkId() trunkId: number): Promise<TestedTrunkDto> {
    return { data: await this.health.test(accountId, trunkId) };
  }
}
