import { AccountsService } from '@app/accounts';
import { type Actor, THE_SERVICE } from '@app/audit';
import { Conflict, NotFound, isoTime, timeOrNull } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { ApiTokenEntity } from './api-token.entity.js';
import { hashToken, newToken, tokenHint, type Scope } from './domain/token.js';
import { type RotatedRow, TokensRepository } from './tokens.repository.js';

/** Live tokens; ended ones do not count. */
const TOKENS_PER_ACCOUNT = 1_000;

/** Time that the users of a rotated token have to switch to the new one. */
const DEFAULT_OVERLAP_MINUTES = 60;
export const MAX_OVERLAP_MINUTES = 7 * 24 * 60;

interface IssueTokenCommand {
  accountId: number;
  name: string;
  scopes: readonly Scope[];
  /** Absent: never. */
  expiresAt?: Date;
  /** The requesting token, which limits the lifetime of the new one. Absent: the operator issues it. */
  issuedBy?: number;
  /** Absent: a new random token. */
  token?: string;
  /** Absent: the service itself. */
  actor?: Actor;
}

interface RotateTokenCommand {
  /** Absent: of any account. */
  accountId?: number;
  /** 0: the old token ends now. */
  overlapMinutes?: number;
  /** The scopes of the requesting token, which cannot rotate a token with other scopes. Absent: the operator rotates it. */
  within?: readonly Scope[];
  /** The requesting token, which limits the lifetime of the new one. Absent: the operator rotates it. */
  issuedBy?: number;
  actor?: Actor;
}

/** A token with its account, for the command line. */
export interface TokenRow {
  id: number;
  account_id: number;
  account: string;
  name: string;
  hint: string;
  scopes: Scope[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

interface RotatedToken extends RotatedRow {
  /** Shown only once. */
  token: string;
}

/** Administration of bearer tokens. Running processes notice a change within 5 s, see TokenLookupService. */
@Injectable()
export class TokensService {
  constructor(
    private readonly tokens: TokensRepository,
    private readonly accounts: AccountsService,
  ) {}

  /** A page of an account's tokens, newest first. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ tokens: TokenView[]; total: number }> {
    const [tokens, total] = await this.tokens.page(accountId, place);
    return { tokens: tokens.map(tokenView), total };
  }

  /** All tokens with their accounts, the newest last; of one account when its id is given. For the command line. */
  async all(accountId?: number): Promise<TokenRow[]> {
    const tokens = await this.tokens.all(accountId);
    const names = await this.accounts.namesOf([...new Set(tokens.map((token) => token.accountId))]);
    return tokens.map((token) => ({
      id: token.id,
      account_id: token.accountId,
      account: names.get(token.accountId) ?? '',
      name: token.name,
      hint: token.hint,
      scopes: token.scopes,
      expires_at: token.expiresAt,
      revoked_at: token.revokedAt,
      last_used_at: token.lastUsedAt,
      created_at: token.createdAt,
    }));
  }

  /** @throws NotFound */
  async find(accountId: number, id: number): Promise<TokenView> {
    const found = await this.tokens.find(accountId, id);
    if (!found) throw new NotFound('Token');
    return tokenView(found);
  }

  /** Throws Conflict when the account has TOKENS_PER_ACCOUNT; concurrent requests may exceed it a little. */
  async requireRoom(accountId: number): Promise<void> {
    if ((await this.tokens.countLive(accountId)) < TOKENS_PER_ACCOUNT) return;
    throw new Conflict(`The account has ${TOKENS_PER_ACCOUNT.toLocaleString('en-US')} tokens. Revoke one first.`);
  }

  /** Stores the hash. @returns the token, which cannot be read again */
  async issue({ actor = THE_SERVICE, ...command }: IssueTokenCommand): Promise<{ token: string; id: number }> {
    const { accountId, name, scopes, expiresAt = null, issuedBy = null, token = newToken() } = command;
    const secret = { hash: hashToken(token), hint: tokenHint(token) };
    const id = await this.tokens.issue({ accountId, name, scopes, expiresAt, issuedBy, ...secret }, actor);
    return { token, id };
  }

  /** false: there is no such token, of the account when one is given. A second revocation keeps the time of the first. */
  revoke(id: number, { accountId, actor = THE_SERVICE }: { accountId?: number; actor?: Actor } = {}): Promise<boolean> {
    return this.tokens.revoke(id, accountId ?? null, actor);
  }

  /**
   * Replaces a token by a new one with the same account, name, scopes and lifetime, which ends no later than the requesting token.
   * The old token works for an overlap, at most until its own end. undefined: there is no such live token, or it was rotated already.
   */
  async rotate(id: number, command: RotateTokenCommand = {}): Promise<RotatedToken | undefined> {
    const { accountId = null, within = null, issuedBy = null, actor = THE_SERVICE } = command;
    const { overlapMinutes = DEFAULT_OVERLAP_MINUTES } = command;
    const token = newToken();
    const secret = { hash: hashToken(token), hint: tokenHint(token) };
    const rotated = await this.tokens.rotate({ id, accountId, within, overlapMinutes, issuedBy }, secret, actor);
    return rotated && { ...rotated, token };
  }

  /** The tokens that are still valid: an event stream ends together with its token. */
  async live(tokenIds: readonly number[]): Promise<Set<number>> {
    return new Set(await this.tokens.live(tokenIds));
  }
}

/** A token as the API shows it; the token itself is shown once, when it is issued. */
const tokenView = (token: ApiTokenEntity) => ({
  id: token.id,
  name: token.name,
  hint: token.hint,
  scopes: token.scopes,
  expires_at: timeOrNull(token.expiresAt),
  revoked_at: timeOrNull(token.revokedAt),
  last_used_at: timeOrNull(token.lastUsedAt),
  replaced_by: token.replacedBy,
  created_at: isoTime(token.createdAt),
});

export type TokenView = ReturnType<typeof tokenView>;
