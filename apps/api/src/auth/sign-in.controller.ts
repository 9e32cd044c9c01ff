import {
  AddressGuard,
  cookieOf,
  IssuersService,
  keepsSessions,
  LogoutTokensService,
  PeopleAuthentication,
  SESSION_COOKIE,
  SignInProblem,
  type SignInProblemCode,
  SignInService,
} from '@app/auth';
import type { Env } from '@app/common';
import { ENV } from '@app/settings';
import { Controller, Get, HttpCode, Inject, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Request, type Response, urlencoded } from 'express';
import { callbackUri, cookie } from './session-cookie.js';

const BROWSER_COOKIE = '__Host-trunkline-sign-in';
const BROWSER_SECONDS = 600;
/** A page of the console; other texts would turn the return into a redirect to anywhere. */
const PLACE = /^\/[\w/.-]{0,200}$/;
const ORGANISATION = /^[a-z0-9-]{1,63}$/;
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
    private readonly people: PeopleAuthentication,
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

  @Get('start')
  async start(
    @Query('organisation') organisation: unknown,
    @Query('place') place: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.orProblem(response, async () => {
      const named = typeof organisation === 'string' && organisation !== '' ? organisation : undefined;
      if (named !== undefined && !ORGANISATION.test(named)) throw new SignInProblem('unknown');
      const { url, browser } = await this.signIn.start({
        ...(named === undefined ? {} : { organisation: named }),
        place: typeof place === 'string' && PLACE.test(place) ? place : '',
        redirectUri: this.redirectUri(request),
        browser: cookieOf(request.headers.cookie, BROWSER_COOKIE),
      });
      response.append('Set-Cookie', cookie(BROWSER_COOKIE, browser, { seconds: BROWSER_SECONDS, sameSite: 'Lax' }));
      response.redirect(303, url.href);
    });
  }

  @Get('callback')
  async callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.orProblem(response, async () => {
      const [, ...query] = request.originalUrl.split('?');
      const url = new URL(`${this.redirectUri(request)}?${query.join('?')}`);
      const browser = cookieOf(request.headers.cookie, BROWSER_COOKIE);
      const requestId = String(response.getHeader('X-Request-Id'));
      const { session, place } = await this.signIn.finish({ url, browser, requestId });
      const seconds = this.env.SESSION_HOURS * 3_600;
      response.append('Set-Cookie', cookie(BROWSER_COOKIE, '', { seconds: 0, sameSite: 'Lax' }));
      response.append('Set-Cookie', cookie(SESSION_COOKIE, session, { seconds, sameSite: 'Strict' }));
      response.redirect(303, place === '' ? '../console/' : `../console/#${place}`);
    });
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

  private redirectUri(request: Request): string {
    const uri = callbackUri(request, this.env);
    if (!keepsSessions(uri)) throw new SignInProblem('address');
    return uri;
  }

  /** A browser shows what is returned here, so a problem becomes a page of the console. */
  private async orProblem(response: Response, work: () => Promise<void>): Promise<void> {
    response.setHeader('Cache-Control', 'no-store');
    try {
      await work();
    } catch (error) {
      if (!(error instanceof SignInProblem)) throw error;
      response.redirect(303, problemPage(error.code));
    }
  }
}

const problemPage = (code: SignInProblemCode): string => `../console/#sign-in=${code}`;

function formOf(request: Request, response: Response): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    readForm(request, response, (error?: unknown) => {
      if (error) reject(error);
      else resolve((request.body ?? {}) as Record<string, unknown>);
    });
  });
}
