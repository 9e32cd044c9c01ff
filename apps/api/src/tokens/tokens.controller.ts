import { type Scope, TokensService } from '@app/auth';
import type { Acting } from '@app/audit';
import { type Env, InvalidFields, NotFound } from '@app/common';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Actor } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { parseDateOrTime } from '../http/is-date-or-time.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope } from '../http/pagination.js';
import { PathId } from '../http/path-params.js';
import { ListTrunksDto } from '../trunks/list-trunks.dto.js';
import { CreateTokenDto, RotateTokenDto } from './create-token.dto.js';
import { TokenIssuedDto, TokenListDto, TokenRevokedDto } from './token.dto.js';

const PER_PAGE = 15;
const TokenId = (): ParameterDecorator => PathId('id', 'Token');
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
    description: "The account's tokens, newest first, also those that ended.",
  })
  @ApiResponse({ status: 200, type: TokenListDto, description: 'A page of tokens.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListTrunksDto, @Req() request: Request): Promise<object> {
    const { page = 1, per_page: perPage = PER_PAGE } = query;
    const { tokens, total } = await this.tokens.list(accountId, { page, perPage });
    const facts = { page, perPage, shown: tokens.length, total, isEstimate: false };
    return { data: tokens, ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }

  @Post()
  @Scopes('tokens:write')
  @ApiOperation({
    operationId: 'createToken',
    summary: 'Create a token',
    description:
      'It may do no more than the token that asks for it, and ends with that one at the latest: a later `expires_at`, or none, becomes its end.',
  })
  @ApiResponse({ status: 201, type: TokenIssuedDto, description: 'The token, shown this once.' })
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
      'A new token in the place of one, with the same name, scopes and lifetime, which ends with the token that asks at the latest. The old one works on for `overlap_minutes`. A token that may do more than the one that asks, that ended, or that was rotated already, is 404.',
  })
  @ApiTokenId()
  @ApiResponse({ status: 201, type: TokenIssuedDto, description: 'The new token, shown this once.' })
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
    description: 'It ends at once (within 5 s). Revoking it again changes nothing.',
  })
  @ApiTokenId()
  @ApiResponse({ status: 200, type: TokenRevokedDto, description: 'The token has ended.' })
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
  if (asked.length === 0) throw new InvalidFields({ scopes: ['The scopes field must name a scope.'] });
  const lacking = asked.filter((scope) => !own.includes(scope));
  if (lacking.length === 0) return asked;
  throw new InvalidFields({ scopes: [`The token of this request lacks ${lacking.join(', ')}, and cannot give it.`] });
}

function inTheFuture(text: string): Date {
  const at = parseDateOrTime(text, 'end');
  if (at && at.getTime() > Date.now()) return at;
  throw new InvalidFields({ expires_at: ['The expires at field must be a time in the future.'] });
}
