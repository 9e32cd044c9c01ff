import { Encryption, InternalRequests, isoTime, type Log } from '@app/common';
import { Database, type EntityTransaction, type IdempotencyKey, IdempotencyRepository } from '@app/database';
import { LOG } from '@app/common/settings';
import { WakeUpsService } from '@app/queue';
import { Inject, Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import { type CallWarning, CallCreationService, type PreparedWebCall } from '../call-creation.service.js';
import type { WebCallCommand } from '../domain/web-call-command.js';
import { CallProgressService } from '../progress/call-progress.service.js';
import { DialersRepository } from '../queue/dialers.repository.js';
import { EXPIRED_BATCH, WebCallsRepository } from './web-calls.repository.js';
import { type LiveWebKey, WebKeysRepository } from './web-keys.repository.js';

const TOKEN_BYTES = 24;
/** A page opens its connection at once. */
const TOKEN_SECONDS = 60;
/** Names the encrypted tokens of repeated requests. */
const SEALED = 'web-call-token';

/** The page that creates a call with a publishable key. */
export interface PageOfKey {
  key: LiveWebKey;
  origin: string;
}

interface WebCallOptions {
  /** Absent: the account itself creates the call. */
  page?: PageOfKey;
  tokenSeconds?: number;
}

interface CreatedWebCall {
  callId: string;
  /** Opens one connection. */
  token: string;
  expiresAt: string;
  /** The request was a repetition: this is the call of the first request. */
  replayed: boolean;
  warnings: CallWarning[];
}

/** What is stored under an idempotency key. */
interface KeptCreation {
  call_id: string;
  expires_at: string;
  /** Base64. */
  token_sealed: string;
  warnings: CallWarning[];
}

/** Where a page connects to. */
interface ConnectableCall {
  accountId: number;
  /** `host:port` of the internal servers of dialers, the best one first. */
  addresses: string[];
  /** The page resumes a live call. */
  isResumed: boolean;
}

/** The key of a page has as many calls as it may. */
export class WebKeyLimit extends Error {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** Why a page gets no connection. */
export class NotConnectable extends Error {
  constructor(readonly reason: 'token' | 'origin' | 'over' | 'no_dialer') {
    super(reason);
  }
}

/** Calls from web pages: their creation, the token of their connection, and the end of those that no page opened. */
@Injectable()
export class WebCallsService {
  constructor(
    private readonly database: Database,
    private readonly creation: CallCreationService,
    private readonly calls: WebCallsRepository,
    private readonly keys: WebKeysRepository,
    private readonly dialers: DialersRepository,
    private readonly progress: CallProgressService,
    private readonly idempotency: IdempotencyRepository,
    private readonly encryption: Encryption,
    private readonly requests: InternalRequests,
    private readonly wakeUps: WakeUpsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Creates a call that waits for its page. A repetition with the same key returns the first call and its token. Throws InvalidFields,
   * Conflict when the key was used with another body, and WebKeyLimit.
   */
  async create(
    accountId: number,
    command: WebCallCommand,
    { idempotency, ...options }: WebCallOptions & { idempotency?: IdempotencyKey } = {},
  ): Promise<CreatedWebCall> {
    const { answer, replayed } = await this.idempotency.createOnce(
      accountId,
      idempotency,
      (tx, prepared: PreparedWebCall) => this.store(accountId, { command, prepared, ...options }, tx),
      () => this.creation.prepareWeb(accountId, command),
    );
    if (!replayed) this.wakeUps.wake('webhooks');
    const token = this.encryption.decrypt(Buffer.from(answer.token_sealed, 'base64'), SEALED);
    return { callId: answer.call_id, token, expiresAt: answer.expires_at, replayed, warnings: answer.warnings };
  }

  /**
   * Where the page with a token connects to: with the token of the creation to a dialer with room, with that of a resumption to the one
   * that carries the call. Throws NotConnectable.
   */
  async connectable(callId: string, token: string, origin: string | undefined): Promise<ConnectableCall> {
    if (this.requests.isResumeToken(callId, token)) return this.resumable(callId);
    const found = await this.calls.ofToken(callId, hashOf(token));
    if (!found || found.used) throw new NotConnectable('token');
    if (found.origin !== null && found.origin !== origin) throw new NotConnectable('origin');
    const addresses = await this.dialers.internalAddresses();
    if (addresses.length === 0) throw new NotConnectable('no_dialer');
    return { accountId: found.account_id, addresses, isResumed: false };
  }

  /** Ends calls that no page opened in time. @returns how many */
  async endExpired(): Promise<void> {
    for (let count = EXPIRED_BATCH; count === EXPIRED_BATCH;) {
      const ended = await this.database.transaction(async (tx) => {
        const expired = await this.calls.lockExpired(tx);
        const ending = { change: 'no_answer', at: new Date(), cause: 'not_connected', endedBy: 'system' } as const;
        for (const call of expired) await this.progress.end(call, ending, tx);
        return expired.map(({ id }) => id);
      });
      count = ended.length;
      if (count > 0) this.log.info({ calls: ended }, 'web calls that no page opened were ended');
    }
  }

  private async resumable(callId: string): Promise<ConnectableCall> {
    const live = await this.calls.live(callId);
    if (!live) throw new NotConnectable('over');
    if (live.address === null) throw new NotConnectable('no_dialer');
    return { accountId: live.account_id, addresses: [live.address], isResumed: true };
  }

  private async store(
    accountId: number,
    {
      command,
      prepared,
      page,
      tokenSeconds = TOKEN_SECONDS,
    }: WebCallOptions & { command: WebCallCommand; prepared: PreparedWebCall },
    tx: EntityTransaction,
  ): Promise<KeptCreation> {
    if (page) await this.requireRoom(page.key, tx);
    await this.creation.createWeb(prepared, tx);
    const { id: callId } = prepared.call;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = await this.calls.insert(
      {
        callId,
        accountId,
        tokenHash: hashOf(token),
        webKeyId: page?.key.id ?? null,
        origin: page?.origin ?? null,
        maxSeconds: page
          ? Math.min(page.key.max_seconds, command.maxSeconds ?? Infinity)
          : (command.maxSeconds ?? null),
        tokenSeconds,
      },
      tx,
    );
    const sealed = this.encryption.encrypt(token, SEALED).toString('base64');
    return { call_id: callId, expires_at: isoTime(expiresAt), token_sealed: sealed, warnings: prepared.warnings };
  }

  private async requireRoom(key: LiveWebKey, tx: EntityTransaction): Promise<void> {
    const use = await this.keys.lockedUse(key.id, tx);
    if (use.live >= key.concurrent_calls)
      throw new WebKeyLimit('All lines are taken at the moment. Try again in a minute.', 30);
    if (key.daily_spend_micros !== null && Number(use.spent_micros) >= Number(key.daily_spend_micros))
      throw new WebKeyLimit(
        'The daily limit of calls from this page is reached. Try again tomorrow.',
        use.seconds_left,
      );
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
