import { AccountsService } from '@app/accounts';
import type { Acting } from '@app/audit';
import {
  BearerGuard,
  type Principal,
  SESSION_COOKIE,
  SessionsService,
  SignInService,
  WrongTokensGuard,
} from '@app/auth';
import { Conflict, type Env, isoTime } from '@app/common';
import { ENV } from '@app/common/settings';
import { Controller, Delete, Get, HttpCode, Inject, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../http/responses/api-errors.js';
import { BodyGuard } from '../http/server/body.guard.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { PathId } from '../http/validation/path-params.js';
import { AccountId, Actor, ApiOpenId, Scopes } from './auth.decorators.js';
import { cookie, publicBase } from './session-cookie.js';
import { FoundSessionDto, SessionEndedDto, SessionListDto, SignedOutDto } from './session.dto.js';

export const FOREIGN_PAGE = 'Requests with the cookie of the console need the header Trunkline-Console.';

/** The token or the person of the request. */
@ApiTags('Sign-in')
@Controller('api/v1/session')
@UseGuards(WrongTokensGuard, BearerGuard, BodyGuard)
@ApiBearerAuth()
@ApiOpenId()
@ApiErrors(401, [403, 'ForeignPage', FOREIGN_PAGE], 429)
export class SessionController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly signIn: SignInService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'getSession',
    summary: 'Retrieve the session',
    description: 'Returns the account, the person or token, and the scopes of the request.',
  })
  @ApiResponse({ status: 200, type: FoundSessionDto, description: 'The session.' })
  async find(@AccountId() accountId: number, @Req() { user }: Request): Promise<FoundSessionDto> {
    const { id, name } = await this.accounts.find(accountId);
    return { data: { account: { id, name }, ...sessionOf(user) } };
  }

  @Delete()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'endSession',
    summary: 'Sign out',
    description:
      'Ends the session of the console whose cookie the request has. Tokens have no session: revoke them instead.',
  })
  @ApiResponse({ status: 200, type: SignedOutDto, description: 'The session has ended.' })
  @ApiErrors([409, 'NotAConsoleSession', 'Only a session of the console can be ended.'])
  async signOut(
    @Actor() who: Acting,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignedOutDto> {
    const id = request.user?.person?.sessionId;
    if (id === undefined) throw new Conflict('Only a session of the console can be ended.');
    const returnTo = `${publicBase(request, this.env)}/console/`;
    const url = await this.signIn.endSessionUrl(id, returnTo);
    await this.sessions.end(who, id);
    response.append('Set-Cookie', cookie(SESSION_COOKIE, '', { seconds: 0, sameSite: 'Strict' }));
    return { message: 'Signed out.', data: { end_session_url: url ?? null } };
  }
}

const sessionOf = (user: Principal | undefined) => ({
  token_id: user?.tokenId ?? null,
  person: user?.person ? { id: user.person.id, email: user.person.email, name: user.person.name } : null,
  role: user?.person?.role ?? null,
  scopes: [...(user?.scopes ?? [])],
  expires_at: user?.person ? isoTime(user.person.endsAt) : null,
});

@ApiTags('Sign-in')
@Controller('api/v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('tokens:read')
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'List sessions',
    description: 'Returns the people who are signed in to the console, newest first.',
  })
  @ApiResponse({ status: 200, type: SessionListDto, description: 'A page of sessions.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: PageQueryDto, @Req() request: Request): Promise<object> {
    const place = placeOf(query);
    const { sessions, total } = await this.sessions.list(accountId, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), sessions, { ...place, total });
  }

  @Delete(':id')
  @Scopes('tokens:write')
  @ApiOperation({
    operationId: 'endSessionById',
    summary: 'End a session',
    description:
      'Signs a person out of the console (within 5 s, open event streams included). The person can sign in again unless the issuer or the role mapping prevents it.',
  })
  @ApiParam({ name: 'id', description: 'The `id` of the session.', schema: { type: 'integer', minimum: 1 } })
  @ApiResponse({ status: 200, type: SessionEndedDto, description: 'The session has ended.' })
  @ApiErrors(404)
  async end(@Actor() who: Acting, @PathId('id', 'Session', 'sessions') id: number): Promise<SessionEndedDto> {
    await this.sessions.end(who, id);
    return { message: 'The session has ended.' };
  }
}
