import { type Role, type SignInRow, SignInSettingsService } from '@app/accounts';
import { type Acting, type Actor, PeopleRepository, type PersonIdentity } from '@app/audit';
import { Encryption, type Env, isoTime, NotFound } from '@app/common';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { randomBytes } from 'node:crypto';
import { type RoleGrounds, roleOf } from '../domain/person-claims.js';
import { ROLE_SCOPES } from '../domain/role.js';
import { hashToken } from '../domain/token.js';
import type { Principal } from '../token-lookup.service.js';
import {
  type FoundSession,
  type IssuerPart,
  type RuledSession,
  type SessionRow,
  SessionsRepository,
} from './sessions.repository.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';

/** The end of a session takes effect after this time, as the revocation of a token. */
const CACHE_MS = 5_000;
const CACHED_SESSIONS = 10_000;
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
const CONTEXT = 'session-token';

interface StartSessionCommand {
  accountId: number;
  person: PersonIdentity;
  role: Role;
  grounds: RoleGrounds;
  issuerSession: string | null;
  refreshToken: string | undefined;
  idToken: string | undefined;
  requestId?: string;
}

/** What the issuer gave for a session. */
interface SessionTokens {
  accountId: number;
  subject: string;
  issuer: string;
  refreshToken: string | undefined;
  idToken: string | undefined;
}

/** Sessions of the console. */
@Injectable()
export class SessionsService {
  /** By hash, so that a heap dump holds no tokens. */
  private readonly cache = new LRUCache<string, Principal>({ max: CACHED_SESSIONS, ttl: CACHE_MS });

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly attempts: SignInAttemptsRepository,
    private readonly people: PeopleRepository,
    private readonly settings: SignInSettingsService,
    private readonly encryption: Encryption,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** @returns the token for the cookie, which cannot be read again */
  async start(command: StartSessionCommand): Promise<string> {
    const { accountId, person, role, grounds, issuerSession, refreshToken, idToken, requestId } = command;
    const personId = await this.people.keep(accountId, person);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await this.sessions.create(
      {
        accountId,
        personId,
        hash: hashToken(token),
        role,
        grounds,
        issuer: person.issuer,
        issuerSession,
        refreshToken: this.sealed(refreshToken),
        idToken: this.sealed(idToken),
        hours: this.env.SESSION_HOURS,
      },
      { kind: 'person', id: String(personId), requestId },
    );
    return token;
  }

  /** undefined: unknown, ended, idle for too long, or without a role in the account. `isDue`: the role should be asked for. */
  async find(token: string): Promise<{ principal: Principal; isDue: boolean } | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const hash = hashToken(token);
    const key = hash.toString('base64');
    const cached = this.cache.get(key);
    if (cached) return isOver(cached) ? undefined : { principal: cached, isDue: false };
    const found = await this.sessions.find(hash, this.env.SESSION_IDLE_MINUTES);
    if (!found) return undefined;
    const role = this.roleNow(found, { issuer: found.account_issuer, settings: found.rules });
    if (role === undefined) {
      await this.endAll([found]);
      return undefined;
    }
    const principal = principalOf(found, role);
    if (isOver(principal)) return undefined;
    this.cache.set(key, principal);
    return { principal, isDue: found.is_due };
  }

  /** The live ones among some sessions: an event stream ends together with its session. */
  async live(ids: readonly number[]): Promise<Set<number>> {
    const sessions = await this.sessions.live(ids);
    const rows = await this.settings.byAccounts([...new Set(sessions.map(({ account_id: id }) => id))]);
    const byAccount = new Map(rows.map((row) => [row.account_id, row]));
    const hasRole = (one: RuledSession): boolean => this.roleNow(one, byAccount.get(one.account_id)) !== undefined;
    await this.endAll(sessions.filter((one) => !hasRole(one)));
    return new Set(sessions.filter(hasRole).map(({ id }) => id));
  }

  /** The role by the settings of the account as they are now; undefined: none. */
  private roleNow(
    session: RuledSession,
    account: Pick<SignInRow, 'issuer' | 'settings'> | undefined,
  ): Role | undefined {
    if (!account || session.issuer !== (account.issuer ?? this.env.OIDC_ISSUER)) return undefined;
    // Of a release without grounds: it keeps its role until the settings change.
    if (session.grounds === null) return session.is_older ? undefined : session.role;
    const role = roleOf(session.grounds, account.settings);
    return typeof role === 'string' ? role : undefined;
  }

  private async endAll(sessions: readonly RuledSession[]): Promise<void> {
    if (sessions.length === 0) return;
    await this.sessions.endAll(
      sessions.map(({ id }) => id),
      { kind: 'system' },
    );
    this.cache.clear();
  }

  /** Throws NotFound. */
  async end({ accountId, actor }: Acting, id: number): Promise<void> {
    if (!(await this.sessions.end(id, accountId, actor))) throw new NotFound('Session');
    this.cache.clear();
  }

  /** For back-channel logout. */
  async endOfIssuer(
    accountIds: readonly number[],
    at: { issuer: string; session: string | null; subject: string | null },
    actor: Actor,
  ): Promise<number> {
    const ended = await this.sessions.endOfIssuer(accountIds, at, actor);
    this.cache.clear();
    return ended.length;
  }

  /** A page of live sessions, newest first. */
  async list(
    accountId: number,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ sessions: SessionView[]; total: number }> {
    const place = { limit: perPage, offset: (page - 1) * perPage };
    const account = await this.settings.byAccount(accountId);
    // Each round without a result ends sessions, which are no longer in the next one.
    for (;;) {
      const rows = await this.sessions.list(accountId, place, this.env.SESSION_IDLE_MINUTES);
      const listed = rows.flatMap((row) => sessionView(row, this.roleNow(row, account)) ?? []);
      if (listed.length === rows.length) return { sessions: listed, total: rows[0]?.total ?? 0 };
      await this.endAll(rows.filter((row) => this.roleNow(row, account) === undefined));
    }
  }

  /** What the issuer gave, to ask for the role. undefined: another process asks, or it is not due. */
  async claimCheck(id: number): Promise<SessionTokens | undefined> {
    return this.opened(await this.sessions.claimCheck(id));
  }

  async tokensOf(id: number): Promise<SessionTokens | undefined> {
    return this.opened(await this.sessions.atIssuer(id));
  }

  async renew(
    id: number,
    { role, grounds, refreshToken }: { role: Role; grounds: RoleGrounds; refreshToken: string },
  ): Promise<void> {
    await this.sessions.renew(id, role, grounds, this.encryption.encrypt(refreshToken, CONTEXT));
    this.cache.clear();
  }

  /** For a sweep. */
  async purge(): Promise<void> {
    await this.sessions.purge();
    await this.attempts.purge();
  }

  private sealed(token: string | undefined): Buffer | null {
    return token === undefined ? null : this.encryption.encrypt(token, CONTEXT);
  }

  private opened(part: IssuerPart | undefined): SessionTokens | undefined {
    if (!part) return undefined;
    const open = (sealed: Buffer | null) => (sealed ? this.encryption.decrypt(sealed, CONTEXT) : undefined);
    const { account_id: accountId, subject, issuer, refresh_token_sealed: refresh, id_token_sealed: id } = part;
    return { accountId, subject, issuer, refreshToken: open(refresh), idToken: open(id) };
  }
}

const isOver = ({ person }: Principal): boolean => person !== undefined && person.endsAt.getTime() <= Date.now();

const principalOf = (found: FoundSession, role: Role): Principal => ({
  accountId: found.account_id,
  scopes: ROLE_SCOPES[role],
  requestsPerMinute: found.requests_per_minute,
  person: {
    id: found.person_id,
    email: found.email,
    name: found.name,
    role,
    sessionId: found.id,
    endsAt: found.ends_at,
  },
});

/** A session as the API shows it. undefined: it has no role any more. */
const sessionView = (row: SessionRow, role: Role | undefined) =>
  role && {
    id: row.id,
    person: { id: row.person_id, email: row.email, name: row.name, subject: row.subject },
    role,
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.used_at),
    expires_at: isoTime(row.ends_at),
  };

export type SessionView = NonNullable<ReturnType<typeof sessionView>>;
