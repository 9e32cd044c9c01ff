import type { Role, StoredSignIn } from '@app/accounts';
import { type Actor, actorValues, auditCte } from '@app/audit';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { RoleGrounds } from '../domain/person-claims.js';

/** What decides whether a session still has a role. */
export interface RuledSession extends Record<string, unknown> {
  id: number;
  account_id: number;
  role: Role;
  issuer: string;
  grounds: RoleGrounds | null;
  /** The settings of the account changed after the start of the session. */
  is_older: boolean;
}

/** A live session, as requests authenticate with it. */
export interface FoundSession extends RuledSession {
  /** null: the issuer of the installation. */
  account_issuer: string | null;
  rules: StoredSignIn;
  person_id: number;
  email: string | null;
  name: string | null;
  requests_per_minute: number | null;
  ends_at: Date;
  /** Milliseconds to its end. */
  ends_in: string;
  /** The role may have changed at the issuer, and can be asked for. */
  is_due: boolean;
}

/** A session in lists. */
export interface SessionRow extends RuledSession {
  person_id: number;
  email: string | null;
  name: string | null;
  subject: string;
  created_at: Date;
  used_at: Date;
  ends_at: Date;
  total: number;
}

interface NewSession {
  accountId: number;
  personId: number;
  hash: Buffer;
  role: Role;
  grounds: RoleGrounds;
  issuer: string;
  issuerSession: string | null;
  refreshToken: Buffer | null;
  idToken: Buffer | null;
  hours: number;
}

/** What the issuer needs to renew or end a session. */
export interface IssuerPart extends Record<string, unknown> {
  id: number;
  account_id: number;
  person_id: number;
  issuer: string;
  subject: string;
  refresh_token_sealed: Buffer | null;
  id_token_sealed: Buffer | null;
}

/** Minutes between two questions for the role. */
const CHECK_MINUTES = 10;
const PURGED_AT_ONCE = 5_000;

/** Of RuledSession. */
const RULED = `s.id, s.account_id, s.role, s.issuer, s.grounds,
  (SELECT t.updated_at FROM sign_in_settings t WHERE t.account_id = s.account_id) > s.created_at AS is_older`;
/** The account still trusts the issuer: removing its sign-in ends the sessions. */
const IS_TRUSTED = `EXISTS (SELECT FROM sign_in_settings t WHERE t.account_id = s.account_id AND coalesce(t.issuer, s.issuer) = s.issuer)`;
const IS_LIVE = `s.ended_at IS NULL AND s.ends_at > now() AND ${IS_TRUSTED}`;
const isActive = (minutes: string): string => `s.used_at > now() - make_interval(mins => ${minutes})`;

// One statement each for change and audit event.
const CREATE = {
  name: 'create-session',
  text: `WITH created AS (
      INSERT INTO sessions (account_id, person_id, token_hash, role, issuer, issuer_session, refresh_token_sealed, id_token_sealed,
        ends_at, grounds)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(hours => $9), $10) RETURNING id, account_id, role),
    ${auditCte({
      from: 'created',
      action: 'session.started',
      subject: 'session',
      actor: 11,
      details: `jsonb_build_object('role', role)`,
    })}
    SELECT id FROM created`,
};

const END = {
  name: 'end-session',
  text: `WITH ended AS (
      UPDATE sessions s SET ended_at = now(), refresh_token_sealed = NULL
      WHERE s.id = $1 AND s.account_id = $2 AND ${IS_LIVE} RETURNING s.id, s.account_id),
    ${auditCte({ from: 'ended', action: 'session.ended', subject: 'session', actor: 3 })}
    SELECT 1 FROM sessions s WHERE s.id = $1 AND s.account_id = $2 AND ${IS_LIVE}`,
};

// Sessions whose role the account has taken away, by its settings.
const END_ALL = {
  name: 'end-sessions',
  text: `WITH ended AS (
      UPDATE sessions s SET ended_at = now(), refresh_token_sealed = NULL
      WHERE s.id = ANY ($1::integer[]) AND s.ended_at IS NULL RETURNING s.id, s.account_id),
    ${auditCte({ from: 'ended', action: 'session.ended', subject: 'session', actor: 2 })}
    SELECT id FROM ended`,
};

// Back-channel logout: the sessions of one session of the issuer, or of a subject.
const END_OF_ISSUER = {
  name: 'end-sessions-of-issuer',
  text: `WITH ended AS (
      UPDATE sessions s SET ended_at = now(), refresh_token_sealed = NULL FROM people p
      WHERE p.id = s.person_id AND s.account_id = ANY ($1::integer[]) AND s.issuer = $2 AND ${IS_LIVE}
        AND ($3::text IS NULL OR s.issuer_session = $3) AND ($4::text IS NULL OR p.subject = $4)
      RETURNING s.id, s.account_id),
    ${auditCte({ from: 'ended', action: 'session.ended', subject: 'session', actor: 5 })}
    SELECT id FROM ended`,
};

/** Hot: requests of the console whose session is not cached. The last use is stored at most once a minute. */
const FIND = {
  name: 'find-session',
  text: `WITH found AS (
      SELECT ${RULED}, t.issuer AS account_issuer, t.settings AS rules,
        s.person_id, p.email, p.name, a.requests_per_minute, s.ends_at, s.used_at,
        extract(epoch FROM s.ends_at - now()) * 1000 AS ends_in,
        s.refresh_token_sealed IS NOT NULL AND s.checked_at < now() - interval '${CHECK_MINUTES} minutes' AS is_due
      FROM sessions s JOIN people p ON p.id = s.person_id JOIN accounts a ON a.id = s.account_id
        JOIN sign_in_settings t ON t.account_id = s.account_id
      WHERE s.token_hash = $1 AND ${IS_LIVE} AND ${isActive('$2')}
    ), used AS (
      UPDATE sessions s SET used_at = now() FROM found WHERE s.id = found.id AND found.used_at < now() - interval '1 minute'
    )
    SELECT * FROM found`,
};

const LIVE = {
  name: 'live-sessions',
  text: `SELECT ${RULED} FROM sessions s WHERE s.id = ANY ($1::integer[]) AND ${IS_LIVE}`,
};

// Of several processes, one asks the issuer.
const CLAIM_CHECK = {
  name: 'claim-session-check',
  text: `UPDATE sessions s SET checked_at = now() FROM people p
    WHERE s.id = $1 AND p.id = s.person_id AND ${IS_LIVE} AND s.refresh_token_sealed IS NOT NULL
      AND s.checked_at < now() - interval '${CHECK_MINUTES} minutes'
    RETURNING s.id, s.account_id, s.person_id, s.issuer, p.subject, s.refresh_token_sealed, s.id_token_sealed`,
};

const RENEW = {
  name: 'renew-session',
  text: `UPDATE sessions SET role = $2, refresh_token_sealed = $3, grounds = $4 WHERE id = $1 AND ended_at IS NULL`,
};

const PART = {
  name: 'session-at-issuer',
  text: `SELECT s.id, s.account_id, s.person_id, s.issuer, p.subject, s.refresh_token_sealed, s.id_token_sealed
    FROM sessions s JOIN people p ON p.id = s.person_id WHERE s.id = $1`,
};

const LIST = {
  name: 'list-sessions',
  text: `SELECT ${RULED}, s.person_id, p.email, p.name, p.subject, s.created_at, s.used_at, s.ends_at,
      count(*) OVER ()::integer AS total
    FROM sessions s JOIN people p ON p.id = s.person_id
    WHERE s.account_id = $1 AND ${IS_LIVE} AND ${isActive('$4')} ORDER BY s.id DESC LIMIT $2 OFFSET $3`,
};

// A day after the end, so that the list of events and the clock of a slow process agree.
const PURGE = {
  name: 'purge-sessions',
  text: `DELETE FROM sessions WHERE id = ANY (ARRAY(
    SELECT id FROM sessions WHERE ends_at < now() - interval '1 day' ORDER BY ends_at LIMIT ${PURGED_AT_ONCE}))`,
};

/**
 * Sessions of the console. SQL: requests authenticate with them, and changes write their audit event in the same statement. A session is
 * read with its person (`people`), the limit of its account (`accounts`) and the settings that decide whether it lives
 * (`sign_in_settings`) in one round trip.
 */
@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  async create(session: NewSession, actor: Actor): Promise<number> {
    const { accountId, personId, hash, role, grounds, issuer, issuerSession, refreshToken, idToken, hours } = session;
    const values = [accountId, personId, hash, role, issuer, issuerSession, refreshToken, idToken, hours, grounds];
    const [row] = await this.database.rows<{ id: number }>(CREATE, [...values, ...actorValues(actor)]);
    if (!row) throw new Error('The session was not stored.');
    return row.id;
  }

  async find(hash: Buffer, idleMinutes: number): Promise<FoundSession | undefined> {
    return (await this.database.rows<FoundSession>(FIND, [hash, idleMinutes]))[0];
  }

  /** false: there is no such live session. */
  async end(id: number, accountId: number, actor: Actor): Promise<boolean> {
    return (await this.database.rows(END, [id, accountId, ...actorValues(actor)])).length > 0;
  }

  /** `session`: the `sid` of the issuer; `subject`: all sessions of a person. At least one is given. @returns the ids */
  async endOfIssuer(
    accountIds: readonly number[],
    { issuer, session, subject }: { issuer: string; session: string | null; subject: string | null },
    actor: Actor,
  ): Promise<number[]> {
    const values = [accountIds, issuer, session, subject, ...actorValues(actor)];
    return (await this.database.rows<{ id: number }>(END_OF_ISSUER, values)).map(({ id }) => id);
  }

  async endAll(ids: readonly number[], actor: Actor): Promise<void> {
    await this.database.rows(END_ALL, [ids, ...actorValues(actor)]);
  }

  /** Live sessions among some ids. */
  live(ids: readonly number[]): Promise<RuledSession[]> {
    return this.database.rows<RuledSession>(LIVE, [ids]);
  }

  /** undefined: another process asks, or the session is not due. */
  async claimCheck(id: number): Promise<IssuerPart | undefined> {
    return (await this.database.rows<IssuerPart>(CLAIM_CHECK, [id]))[0];
  }

  async renew(id: number, role: Role, grounds: RoleGrounds, refreshToken: Buffer): Promise<void> {
    await this.database.rows(RENEW, [id, role, refreshToken, grounds]);
  }

  async atIssuer(id: number): Promise<IssuerPart | undefined> {
    return (await this.database.rows<IssuerPart>(PART, [id]))[0];
  }

  /** Live ones, newest first. */
  list(accountId: number, place: { limit: number; offset: number }, idleMinutes: number): Promise<SessionRow[]> {
    return this.database.rows<SessionRow>(LIST, [accountId, place.limit, place.offset, idleMinutes]);
  }

  /** Deletes sessions that ended a day ago, 5,000 at most. */
  async purge(): Promise<void> {
    await this.database.rows(PURGE, []);
  }
}
