import type { Acting } from '@app/audit';
import { WebKeysService } from '@app/calls';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, Headers, Inject, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { ApiIdempotencyKey, PathId } from '../http/validation/path-params.js';
import {
  CREATE_WEB_KEY_EXAMPLES,
  CreateWebKeyDto,
  FoundWebKeyDto,
  UPDATE_WEB_KEY_EXAMPLES,
  UpdateWebKeyDto,
  WebKeyListDto,
  WebKeyRevokedDto,
  WebKeyWithMessageDto,
} from './web-keys.dto.js';

const WebKeyId = (): ParameterDecorator => PathId('id', 'Web key', 'web_keys');
const ApiWebKeyId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the web key.', schema: { type: 'integer', minimum: 1 } });

@ApiTags('Web calls')
@Controller('api/v1/web-keys')
export class WebKeysController {
  constructor(
    private readonly keys: WebKeysService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'listWebKeys',
    summary: 'List web keys',
    description: 'Returns the web keys of the account, newest first, including revoked ones.',
  })
  @ApiResponse({ status: 200, type: WebKeyListDto, description: 'A page of web keys.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<WebKeyListDto> {
    const place = placeOf(query);
    const { keys, total } = await this.keys.list(accountId, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), keys, { ...place, total });
  }

  @Post()
  @Scopes('agents:write')
  @ApiOperation({
    operationId: 'createWebKey',
    summary: 'Create a web key',
    description:
      'Creates a publishable key, with which pages of its origins may create web calls of one agent, and nothing else. The key stands in the page and is not a secret.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreateWebKeyDto, examples: CREATE_WEB_KEY_EXAMPLES })
  @ApiResponse({ status: 201, type: WebKeyWithMessageDto, description: 'The web key was created.' })
  @ApiErrors(400, [409, 'TooManyWebKeys', 'The account has 1,000 web keys. Revoke one first.'], 413, 415, 422)
  async create(
    @Actor() who: Acting,
    @Body() body: CreateWebKeyDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebKeyWithMessageDto> {
    const key = idempotencyKey(header, { web_key: request.body as object });
    const { view, ignored, replayed } = await this.keys.create(who, body, key);
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Web key created successfully.', data: view };
  }

  @Get(':id')
  @Scopes('agents:read')
  @ApiOperation({ operationId: 'getWebKey', summary: 'Retrieve a web key' })
  @ApiWebKeyId()
  @ApiResponse({ status: 200, type: FoundWebKeyDto, description: 'The web key.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @WebKeyId() id: number): Promise<FoundWebKeyDto> {
    return { data: await this.keys.find(accountId, id) };
  }

  @Patch(':id')
  @Scopes('agents:write')
  @ApiOperation({
    operationId: 'updateWebKey',
    summary: 'Update a web key',
    description: 'Updates the given fields. Live calls keep what they began with.',
  })
  @ApiWebKeyId()
  @ApiBody({ type: UpdateWebKeyDto, examples: UPDATE_WEB_KEY_EXAMPLES })
  @ApiResponse({ status: 200, type: WebKeyWithMessageDto, description: 'The web key was updated.' })
  @ApiErrors(
    400,
    404,
    [409, 'WebKeyRevoked', 'The web key is revoked and cannot be changed. Create another one.'],
    413,
    415,
    422,
  )
  async update(
    @Actor() who: Acting,
    @WebKeyId() id: number,
    @Body() body: UpdateWebKeyDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebKeyWithMessageDto> {
    const { view, ignored } = await this.keys.update(who, id, body);
    addIgnoredFields(response, ignored);
    return { message: 'Web key updated successfully.', data: view };
  }

  @Delete(':id')
  @Scopes('agents:write')
  @ApiOperation({
    operationId: 'revokeWebKey',
    summary: 'Revoke a web key',
    description: 'Ends a web key at once. Its live calls go on, and its calls keep naming it.',
  })
  @ApiWebKeyId()
  @ApiResponse({ status: 200, type: WebKeyRevokedDto, description: 'The web key is revoked.' })
  @ApiErrors(404)
  async revoke(@Actor() who: Acting, @WebKeyId() id: number): Promise<WebKeyRevokedDto> {
    await this.keys.revoke(who, id);
    return { message: 'Web key revoked successfully.' };
  }
}
