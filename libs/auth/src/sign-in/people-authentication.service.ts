import { type Log, Semaphore } from '@app/common';
import { LOG } from '@app/common/settings';
import { ForbiddenException, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { TokensService } from '../tokens.service.js';
import type { Principal } from '../token-lookup.service.js';
import { AccessTokensService } from './access-tokens.service.js';
import { SessionsService } from './sessions.service.js';
import { SignInService } from './sign-in.service.js';

/** `__Host-`: only this host over https can set the cookie, without a domain and for all paths. */
export const SESSION_COOKIE = '__Host-trunkline-session';

/** Pages of other origins cannot send it: it needs a preflight, and CORS allows neither the header nor cookies. */
const CONSOLE_HEADER = 'trunkline-console';

/** The value of a cookie of this service; they need no decoding. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  const found = header.split(';').find((part) => part.trimStart().startsWith(`${name}=`));
  return found?.trim().slice(name.length + 1);
}

/** Whether a request has a session cookie. */
export const hasSession = ({ headers }: Request): boolean => cookieOf(headers.cookie, SESSION_COOKIE) !== undefined;

/** Throws ForbiddenException for a request that a foreign page may have caused. */
export function requireConsole({ headers }: Request): void {
  const site = headers['sec-fetch-site'];
  if (headers[CONSOLE_HEADER] === undefined || (site !== undefined && site !== 'same-origin'))
    throw new ForbiddenException('Requests with the cookie of the console need the header Trunkline-Console.');
}

/** Resolves people: by the session cookie of the console, or by an access token of their issuer. */
@Injectable()
export class PeopleAuthenticationService {
  private readonly guesses = new Semaphore(2);

  constructor(
    private readonly accessTokens: AccessTokensService,
    private readonly sessions: SessionsService,
    private readonly signIn: SignInService,
    private readonly tokens: TokensService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** See AccessTokensService.find. */
  ofAccessToken(token: string, wanted: string | undefined): Promise<Principal | undefined> {
    return this.accessTokens.find(token, wanted);
  }

  /** undefined: the session has ended. Throws ForbiddenException for a request that a foreign page may have caused. */
  async ofSession(request: Request): Promise<Principal | undefined> {
    requireConsole(request);
    return this.ofOwnPage(request);
  }

  /** The same for a request that is known to come from a page of this service. */
  async ofOwnPage(request: Request): Promise<Principal | undefined> {
    const token = cookieOf(request.headers.cookie, SESSION_COOKIE);
    const found = token === undefined ? undefined : await this.sessions.find(token);
    const sessionId = found?.principal.person?.sessionId;
    if (found?.isDue && sessionId !== undefined) void this.check(sessionId);
    return found?.principal;
  }

  /** Whether the cookie belongs to a live session. Two queries at a time, so that invented cookies use two connections at most. */
  async mayHaveSession({ headers }: Request): Promise<boolean> {
    const token = cookieOf(headers.cookie, SESSION_COOKIE);
    if (token === undefined) return false;
    return this.guesses.run(async () => (await this.sessions.find(token)) !== undefined);
  }

  /** The requests among these whose token, session or access token is still valid. */
  async live(principals: readonly Principal[]): Promise<Set<Principal>> {
    const ids = (of: (principal: Principal) => number | undefined): number[] => [
      ...new Set(principals.flatMap((principal) => of(principal) ?? [])),
    ];
    const [tokenIds, sessionIds] = [ids(({ tokenId }) => tokenId), ids(({ person }) => person?.sessionId)];
    const [tokens, sessions] = await Promise.all([
      tokenIds.length > 0 ? this.tokens.live(tokenIds) : new Set<number>(),
      sessionIds.length > 0 ? this.sessions.live(sessionIds) : new Set<number>(),
    ]);
    const live = new Set<Principal>();
    for (const principal of principals) {
      const { tokenId, person } = principal;
      if (tokenId !== undefined ? tokens.has(tokenId) : await this.isLive(principal, person?.sessionId, sessions))
        live.add(principal);
    }
    return live;
  }

  private isLive(principal: Principal, sessionId: number | undefined, sessions: ReadonlySet<number>): Promise<boolean> {
    return sessionId === undefined ? this.accessTokens.isLive(principal) : Promise.resolve(sessions.has(sessionId));
  }

  /** In the background: a slow issuer does not slow down the console. */
  private async check(sessionId: number): Promise<void> {
    try {
      await this.signIn.check(sessionId);
    } catch (err) {
      this.log.error({ err }, 'the role of a session could not be checked');
    }
  }
}
