import type { Acting } from '@app/audit';
import { type Scope, TokensService } from '@app/auth';
import { type Env, InvalidFields, NotFound, withCode } from '@app/common';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { ApiErrors } from '../http/responses/api-errors.js';
import { parseDateOrTime } from '../http/validation/field-validators.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { PathId } from '../http/validation/path-params.js';
import { AccountId, Actor, Scopes } from './auth.decorators.js';
import { CreateTokenDto, RotateTokenDto, TokenIssuedDto, TokenListDto, TokenRevokedDto } from './tokens.dto.js';

const TokenId = (): ParameterDecorator => PathId('id', 'Token', 'api_tokens');
const ApiTokenId = (): MethodDecorator =>
  ApiParam({ name: 'id', description: 'The `id` of the token.', schema: { type: 'integer', minimum: 1 } });

@ApiTags('Tokens')
@Controller('api/v1/tokens')
export class TokensController {
  constructor(
    private readonly tokens: TokensService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('tokens:read')
  @ApiOperation({
    operationId: 'listTokens',
    summary: 'List tokens',
    description: 'Returns the tokens of the account, newest first, including expired and revoked ones.',
  })
  @ApiResponse({ status: 200, type: TokenListDto, description: 'A page of tokens.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: PageQueryDto, @Req() request: Request): Promise<object> {
    const place = placeOf(query);
    const { tokens, total } = await this.tokens.list(accountId, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), tokens, { ...place, total });
  }

  @Post()
  @Scopes('tokens:write')
  @ApiOperation({
    operationId: 'createToken',
    summary: 'Create a token',
    description:
      'The new token cannot have more scopes or a later expiry than the requesting token. A later or missing `expires_at` is set to that expiry.',
  })
  @ApiResponse({ status: 201, type: TokenIssuedDto, description: 'The token, which is returned only once.' })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(@Actor() { accountId, actor }: Acting, @Body() body: CreateTokenDto, @Req() request: Request) {
    const scopes = scopesWithin(body.scopes ?? undefined, request);
    const expiresAt = body.expires_at ? inTheFuture(body.expires_at) : undefined;
    await this.tokens.requireRoom(accountId);
    const issuedBy = request.user?.tokenId;
    const command = { accountId, name: body.name, scopes, expiresAt, issuedBy, actor };
    const { id, token } = await this.tokens.issue(command);
    const data = { ...(await this.tokens.find(accountId, id)), token };
    return { message: 'Token created successfully.', data };
  }

  @Post(':id/rotate')
  @HttpCode(201)
  @Scopes('tokens:write')
  @ApiOperation({
    operationId: 'rotateToken',
    summary: 'Rotate a token',
    description:
      'Replaces a token by a new one with the same name, scopes and lifetime, limited by the expiry of the requesting token. The old token remains valid for `overlap_minutes`. Returns 404 for a token that has ended, was already rotated, or has scopes that the requesting token lacks.',
  })
  @ApiTokenId()
  @ApiResponse({ status: 201, type: TokenIssuedDto, description: 'The new token, which is returned only once.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async rotate(
    @Actor() { accountId, actor }: Acting,
    @TokenId() id: number,
    @Body() body: RotateTokenDto,
    @Req() request: Request,
  ) {
    const command = {
      accountId,
      actor,
      within: request.user?.scopes ?? [],
      issuedBy: request.user?.tokenId,
      overlapMinutes: body.overlap_minutes ?? undefined,
    };
    const rotated = await this.tokens.rotate(id, command);
    if (!rotated) throw new NotFound('Token');
    const data = { ...(await this.tokens.find(accountId, rotated.id)), token: rotated.token };
    return { message: 'Token rotated successfully.', data };
  }

  @Delete(':id')
  @Scopes('tokens:write')
  @ApiOperation({
    operationId: 'revokeToken',
    summary: 'Revoke a token',
    description: 'Revokes the token immediately (within 5 s). Revoking it again has no effect.',
  })
  @ApiTokenId()
  @ApiResponse({ status: 200, type: TokenRevokedDto, description: 'The token is revoked.' })
  @ApiErrors(404)
  async revoke(@Actor() who: Acting, @TokenId() id: number): Promise<TokenRevokedDto> {
    if (!(await this.tokens.revoke(id, who))) throw new NotFound('Token');
    return { message: 'Token revoked successfully.' };
  }
}

/** Throws InvalidFields for a scope that the token of the request lacks: a token cannot grant scopes it does not have. */
function scopesWithin(asked: Scope[] | undefined, { user }: Request): readonly Scope[] {
  const own = user?.scopes ?? [];
  if (asked === undefined) return own;
  if (asked.length === 0)
    throw new InvalidFields({ scopes: [withCode('missing', 'The scopes field must name a scope.')] });
  const lacking = asked.filter((scope) => !own.includes(scope));
  if (lacking.length === 0) return asked;
  throw new InvalidFields({
    scopes: [withCode('not_allowed', `The token of this request lacks ${lacking.join(', ')} and cannot grant it.`)],
  });
}

function inTheFuture(text: string): Date {
  const at = parseDateOrTime(text, 'end');
  if (at && at.getTime() > Date.now()) return at;
  throw new InvalidFields({
    expires_at: [withCode('out_of_range', 'The expires at field must be a time in the future.')],
  });
}
