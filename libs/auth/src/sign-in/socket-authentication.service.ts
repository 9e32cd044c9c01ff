import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { ForbiddenException, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { BearerStrategy } from '../bearer.strategy.js';
import { TokensService } from '../tokens.service.js';
import type { Principal } from '../token-lookup.service.js';
import { hasSession, PeopleAuthenticationService } from './people-authentication.service.js';

/** Authenticates WebSockets: machines send the Authorization header, pages a token as a subprotocol, the console its cookie. */
@Injectable()
export class SocketAuthenticationService {
  constructor(
    private readonly bearer: BearerStrategy,
    private readonly people: PeopleAuthenticationService,
    private readonly tokens: TokensService,
    @Inject(ENV) private readonly env: Pick<Env, 'PUBLIC_URL'>,
  ) {}

  /**
   * `token`: of the subprotocol; the header comes first. undefined: unknown, expired or revoked, or none. Throws ForbiddenException when the
   * cookie of the console arrives from another page.
   */
  async principalOf(request: Request, token: string | undefined): Promise<Principal | undefined> {
    const { authorization } = request.headers;
    const given = authorization === undefined ? token : /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (given !== undefined) return (await this.bearer.validate(request, given)) || undefined;
    if (authorization !== undefined || !hasSession(request)) return undefined;
    if (!isOwnPage(request, this.env)) throw new ForbiddenException('The page does not belong to this service.');
    return this.people.ofOwnPage(request);
  }

  /** How other people see who it is. */
  async nameOf({ accountId, tokenId, person }: Principal): Promise<string> {
    if (person) return person.name ?? person.email ?? `Person ${person.id}`;
    if (tokenId === undefined) throw new Error('A principal is a person or a token.');
    return (await this.tokens.find(accountId, tokenId)).name;
  }
}

/** Browsers name the page that opens a WebSocket, and no page can change that: a cookie counts for pages of this service only. */
function isOwnPage({ headers }: Request, { PUBLIC_URL }: Pick<Env, 'PUBLIC_URL'>): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined || !URL.canParse(origin) || (site !== undefined && site !== 'same-origin')) return false;
  if (PUBLIC_URL !== undefined && new URL(PUBLIC_URL).origin === new URL(origin).origin) return true;
  return new URL(origin).host === host?.toLowerCase();
}
