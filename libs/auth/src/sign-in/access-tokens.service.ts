import { PeopleRepository } from '@app/audit';
import { Unavailable } from '@app/common';
import { ForbiddenException, Injectable } from '@nestjs/common';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { accessTokenProblem, CLOCK_TOLERANCE_SECONDS, clientOf, SIGNATURES } from '../domain/access-token.js';
import { describePerson, groundsOf, roleOf, roleOfPerson } from '../domain/person-claims.js';
import { ROLE_SCOPES } from '../domain/role.js';
import { hashToken } from '../domain/token.js';
import type { AccessTokenGrounds, Principal, SignedInPerson } from '../token-lookup.service.js';
import { IssuerUnavailable } from './issuer.js';
import { IssuersService, type SignInAccount } from './issuers.service.js';

/** A change of settings takes effect after this time; the signature is checked again as well. */
const CACHE_MS = 5_000;
const CACHED_TOKENS = 10_000;

/** An account in which the person of a token has a role. */
interface Opened extends SignInAccount {
  role: SignedInPerson['role'];
}

/** Authenticates access tokens of OpenID Connect issuers (JWT), for this process. */
@Injectable()
export class AccessTokensService {
  /** By the hash of the token and the wanted account. */
  private readonly cache = new LRUCache<string, Principal>({ max: CACHED_TOKENS });

  constructor(
    private readonly issuers: IssuersService,
    private readonly people: PeopleRepository,
  ) {}

  /**
   * undefined: the token is not valid for any account. `wanted`: the organisation or the id of the account, for people of several.
   * Throws ForbiddenException for a valid token whose person has no role, and Unavailable when the issuer was never reached.
   */
  async find(token: string, wanted?: string): Promise<Principal | undefined> {
    const key = `${hashToken(token).toString('base64')} ${wanted ?? ''}`;
    const cached = this.cache.get(key);
    if (cached) return isOver(cached) ? undefined : cached;
    const verified = await this.verify(token);
    if (!verified) return undefined;
    const { claims, accounts } = verified;
    const principal = await this.principalOf(claims, chosen(opened(accounts, claims), wanted));
    const lifetime = (claims.exp ?? 0) * 1_000 - Date.now();
    if (lifetime > 0) this.cache.set(key, principal, { ttl: Math.min(CACHE_MS, lifetime) });
    return principal;
  }

  /** Whether the account of an open stream still trusts the token that opened it. */
  async isLive({ accountId, person }: Principal): Promise<boolean> {
    const { accessToken } = person ?? {};
    if (!person || !accessToken || person.endsAt.getTime() <= Date.now()) return false;
    const accounts = await this.issuers.accountsOf(accessToken.issuer);
    const account = accounts.find((one) => one.accountId === accountId);
    if (!account || !accepts(account, accessToken)) return false;
    return typeof roleOf(accessToken.role, account.rules) === 'string';
  }

  /** The claims of a valid access token, and the accounts that its issuer, audience and client may use. */
  private async verify(token: string): Promise<{ claims: JWTPayload; accounts: SignInAccount[] } | undefined> {
    const accounts = await this.candidates(token);
    const [first] = accounts;
    if (!first) return undefined;
    const issuer = this.issuers.issuer(first.client.issuer);
    try {
      const { issuer: iss } = await issuer.metadata();
      const { payload, protectedHeader } = await jwtVerify(token, (header, jws) => issuer.key(header, jws), {
        algorithms: [...SIGNATURES],
        issuer: iss,
        audience: [...new Set(accounts.flatMap(({ audience }) => audience ?? []))],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
      });
      return accessTokenProblem(protectedHeader, payload) ? undefined : { claims: payload, accounts };
    } catch (error) {
      if (error instanceof IssuerUnavailable) throw unreachable();
      // All errors of jose are faults of the token; anything else is ours.
      if (String((error as { code?: unknown }).code).startsWith('ERR_')) return undefined;
      throw error;
    }
  }

  /** Reads the claims without trusting them: they only choose the issuer that can confirm them. */
  private async candidates(token: string): Promise<SignInAccount[]> {
    const claims = decode(token);
    if (!claims) return [];
    const given = { audiences: [claims.aud].flat(), client: clientOf(claims) };
    const accounts = await this.issuers.accountsOf(claims.iss);
    return accounts.filter((account) => accepts(account, given));
  }

  private async principalOf(
    claims: JWTPayload,
    { accountId, requestsPerMinute, role, client, rules }: Opened,
  ): Promise<Principal> {
    const { issuer } = client;
    const identity = { issuer, subject: String(claims.sub), ...describePerson(claims) };
    const id = await this.people.keep(accountId, identity);
    const { email, name } = identity;
    const endsAt = new Date((claims.exp ?? 0) * 1_000);
    const grounds = groundsOf(claims, rules);
    const accessToken = { issuer, audiences: [claims.aud].flat(), client: clientOf(claims), role: grounds };
    const person = { id, email, name, role, accessToken, endsAt };
    return { accountId, scopes: ROLE_SCOPES[role], requestsPerMinute, person };
  }
}

/** Whether an account accepts tokens for these audiences, issued to this client. */
function accepts(
  { audience, client: { clientId }, rules }: SignInAccount,
  { audiences, client }: Pick<AccessTokenGrounds, 'audiences' | 'client'>,
): boolean {
  if (audience === undefined || !audiences.includes(audience) || client === undefined) return false;
  return client === clientId || (rules.api_clients?.includes(client) ?? false);
}

const isOver = ({ person }: Principal): boolean => person !== undefined && person.endsAt.getTime() <= Date.now();

/** Not of this person: the issuer was never reached since the start of this process. */
const unreachable = (): Unavailable => new Unavailable('The issuer of the access token cannot be reached. Try again.');

function decode(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token);
  } catch {
    // Not a JWT: the 401 is that of any other wrong token.
    return undefined;
  }
}

function opened(accounts: readonly SignInAccount[], claims: JWTPayload): Opened[] {
  return accounts.flatMap((account) => {
    const role = roleOfPerson(claims, account.rules);
    return typeof role === 'string' ? { ...account, role } : [];
  });
}

function chosen(accounts: readonly Opened[], wanted: string | undefined): Opened {
  const named = accounts.filter(
    ({ accountId, organisation }) => wanted === undefined || wanted === organisation || wanted === String(accountId),
  );
  const [first, second] = named;
  if (first && !second) return first;
  throw new ForbiddenException(
    first
      ? 'The access token is valid for several accounts. Name the organisation or the id of one in the header Trunkline-Account.'
      : 'The access token is valid, but its groups have no role in an account.',
  );
}
