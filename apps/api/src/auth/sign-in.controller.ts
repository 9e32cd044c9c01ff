import {
  AddressGuard,
  cookieOf,
  IssuersService,
  keepsSessions,
  toLimitedAddress,
  LogoutTokensService,
  PeopleAuthenticationService,
  requireConsole,
  SESSION_COOKIE,
  SignInProblem,
  type SignInProblemCode,
  SignInService,
} from '@app/auth';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response, urlencoded } from 'express';
import { BodyGuard } from '../http/server/body.guard.js';
import { cookie, publicBase } from './session-cookie.js';
import { StartSignInDto } from './start-sign-in.dto.js';

const BROWSER_COOKIE = '__Host-trunkline-sign-in';
const BROWSER_SECONDS = 600;
/** A page of the console; other texts would turn the return into a redirect to anywhere. */
const PLACE = /^\/[\w/.-]{0,200}$/;
const ORGANISATION = /^[a-z0-9-]{1,63}$/;
const STATUS_OF_PROBLEM: Partial<Record<SignInProblemCode, number>> = { unknown: 404, busy: 429, unavailable: 503 };
const readForm = urlencoded({ extended: false, limit: 20_000, parameterLimit: 10 });

/** The pages of a sign-in with OpenID Connect, for browsers and issuers: not routes of the REST API. */
@ApiExcludeController()
@Controller('sign-in')
@UseGuards(AddressGuard)
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly issuers: IssuersService,
    private readonly logoutTokens: LogoutTokensService,
    private readonly people: PeopleAuthenticationService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** What the sign-in page of the console offers, and whether the browser has a session: scripts cannot see its cookie. */
  @Get('options')
  async options(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<object> {
    response.setHeader('Cache-Control', 'no-store');
    const client = this.issuers.ofInstallation();
    const name = client && (this.env.OIDC_NAME ?? new URL(client.issuer).hostname);
    return { data: { name: name ?? null, has_session: await this.people.mayHaveSession(request) } };
  }

  /** A link to a sign-in. It starts nothing: the console names the organisation and asks, because anyone can make such a link. */
  @Get('start')
  link(@Query('organisation') organisation: unknown, @Query('place') place: unknown, @Res() response: Response): void {
    const query = new URLSearchParams();
    if (typeof organisation === 'string' && ORGANISATION.test(organisation)) query.set('organisation', organisation);
    else if (organisation !== undefined && organisation !== '') return this.toConsole(response, '#sign-in=unknown');
    if (typeof place === 'string' && PLACE.test(place)) query.set('place', place);
    this.toConsole(response, `#start-sign-in?${query.toString()}`);
  }

  /** Only pages of the console can send it. With a running session it needs `replace_session`, the consent of the person. */
  @Post('start')
  @HttpCode(200)
  @UseGuards(BodyGuard)
  async start(
    @Body() { organisation, place, replace_session: isReplacing }: StartSignInDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    requireConsole(request);
    response.setHeader('Cache-Control', 'no-store');
    if (isReplacing !== true && (await this.people.mayHaveSession(request)))
      return void response.status(409).json({ message: 'You are already signed in.', code: 'signed_in' });
    try {
      if (organisation !== undefined && !ORGANISATION.test(organisation)) throw new SignInProblem('unknown');
      const { url, browser } = await this.signIn.start({
        ...(organisation === undefined ? {} : { organisation }),
        place: place !== undefined && PLACE.test(place) ? place : '',
        base: this.base(request),
        address: toLimitedAddress(request.ip),
        browser: cookieOf(request.headers.cookie, BROWSER_COOKIE),
      });
      response.append('Set-Cookie', cookie(BROWSER_COOKIE, browser, { seconds: BROWSER_SECONDS, sameSite: 'Lax' }));
      response.json({ data: { url: url.href } });
    } catch (error) {
      if (!(error instanceof SignInProblem)) throw error;
      response.status(STATUS_OF_PROBLEM[error.code] ?? 422).json({ message: error.message, code: error.code });
    }
  }

  /** `key`: of the issuer; the one of the installation has none. */
  @Get(['callback', 'callback/:key'])
  async callback(
    @Param('key') key: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    try {
      const [, ...query] = request.originalUrl.split('?');
      const base = this.base(request);
      const { session, place } = await this.signIn.finish({
        base,
        arrivedAt: `${base}/sign-in/callback${key === undefined ? '' : `/${encodeURIComponent(key)}`}`,
        query: query.join('?'),
        browser: cookieOf(request.headers.cookie, BROWSER_COOKIE),
        requestId: String(response.getHeader('X-Request-Id')),
      });
      const seconds = this.env.SESSION_HOURS * 3_600;
      response.append('Set-Cookie', cookie(BROWSER_COOKIE, '', { seconds: 0, sameSite: 'Lax' }));
      response.append('Set-Cookie', cookie(SESSION_COOKIE, session, { seconds, sameSite: 'Strict' }));
      this.toConsole(response, place === '' ? '' : `#${place}`, key);
    } catch (error) {
      // A browser shows what is returned here, so a problem becomes a page of the console.
      if (!(error instanceof SignInProblem)) throw error;
      this.toConsole(response, `#sign-in=${error.code}`, key);
    }
  }

  /** Called by the issuer. */
  @Post('back-channel-logout')
  @HttpCode(200)
  async backChannelLogout(@Req() request: Request, @Res() response: Response): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    const form = await formOf(request, response);
    const token = form.logout_token;
    const isValid = typeof token === 'string' && (await this.logoutTokens.logout(token));
    if (isValid) return void response.status(200).end();
    response.status(400).json({ error: 'invalid_request' });
  }

  private base(request: Request): string {
    const base = publicBase(request, this.env);
    if (!keepsSessions(base)) throw new SignInProblem('address');
    return base;
  }

  /** Relative, so that it also works behind a proxy that adds a path. */
  private toConsole(response: Response, fragment: string, key?: string): void {
    response.redirect(303, `${key === undefined ? '..' : '../..'}/console/${fragment}`);
  }
}

function formOf(request: Request, response: Response): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    readForm(request, response, (error?: unknown) => {
      if (error) reject(error);
      else resolve((request.body ?? {}) as Record<string, unknown>);
    });
  });
}
