import { Injectable } from '@nestjs/common';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { CLOCK_TOLERANCE_SECONDS, SIGNATURES } from '../domain/access-token.js';
import { issuerSessionOf, subjectOf } from '../domain/person-claims.js';
import { IssuersService } from './issuers.service.js';
import { SessionsService } from './sessions.service.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MAX_AGE = '5m';
const MAX_LENGTH = 16_000;

/** Back-channel logout: an issuer ends sessions of the console (OpenID Connect Back-Channel Logout 1.0). */
@Injectable()
export class LogoutTokensService {
  constructor(
    private readonly issuers: IssuersService,
    private readonly sessions: SessionsService,
  ) {}

  /** false: the logout token is not valid. Repeating one has no effect. Throws IssuerUnavailable. */
  async logout(token: string): Promise<boolean> {
    const accounts = await this.issuers.accountsOf(issuerIn(token));
    const [first] = accounts;
    if (!first) return false;
    const claims = await this.verified(token, first.client.issuer, [
      ...new Set(accounts.map(({ client }) => client.clientId)),
    ]);
    if (!claims) return false;
    const audiences = [claims.aud].flat();
    const concerned = accounts.filter(({ client }) => audiences.includes(client.clientId));
    const at = { issuer: first.client.issuer, session: issuerSessionOf(claims), subject: subjectOf(claims) };
    if (at.session === null && at.subject === null) return false;
    // With one of two unusable, sessions of others could end.
    if (isUnusable(claims.sid, at.session) || isUnusable(claims.sub, at.subject)) return false;
    const ids = concerned.map(({ accountId }) => accountId);
    await this.sessions.endOfIssuer(ids, at, { kind: 'system' });
    return true;
  }

  private async verified(token: string, url: string, audience: string[]): Promise<JWTPayload | undefined> {
    const issuer = this.issuers.issuer(url);
    const { issuer: iss } = await issuer.metadata();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (header, jws) => issuer.key(header, jws), {
        algorithms: [...SIGNATURES],
        issuer: iss,
        audience,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        maxTokenAge: MAX_AGE,
      });
      const type = protectedHeader.typ?.toLowerCase();
      const isLogout = Object.hasOwn(Object(payload.events), EVENT) && payload.nonce === undefined;
      return isLogout && (type === undefined || type === 'jwt' || type === 'logout+jwt') ? payload : undefined;
    } catch (error) {
      if (String((error as { code?: unknown }).code).startsWith('ERR_')) return undefined;
      throw error;
    }
  }
}

const isUnusable = (given: unknown, read: string | null): boolean => given !== undefined && read === null;

/** Not verified: it only chooses the issuer that can confirm the token. */
function issuerIn(token: string): unknown {
  if (token.length > MAX_LENGTH) return undefined;
  try {
    return decodeJwt(token).iss;
  } catch {
    // Not a JWT, which is answered like any other wrong token.
    return undefined;
  }
}
