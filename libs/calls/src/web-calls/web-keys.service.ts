import { readFields } from '@app/accounts';
import { type Acting, AuditService } from '@app/audit';
import { Conflict, InvalidFields, isoTime, noRecord, NotFound, timeOrNull, usd } from '@app/common';
import {
  Database,
  type EntityTransaction,
  type IdempotencyKey,
  IdempotencyRepository,
  RecordExistenceRepository,
} from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { randomBytes } from 'node:crypto';
import type { WebKeyEntity } from './web-key.entity.js';
import { changedWebKey, newWebKey, webKeyColumns } from './web-key-schema.js';
import { type LiveWebKey, WebKeysRepository } from './web-keys.repository.js';

/** Live keys; revoked ones do not count. */
const KEYS_PER_ACCOUNT = 1_000;
const PREFIX = 'pk_';
const KEY_BYTES = 24;
const FORM = /^pk_[\w-]{32}$/;

/** Pages ask for permission before each request: a new key works, and a revoked one stops, within this time. */
const ORIGIN_MS = 5_000;
const KNOWN_ORIGINS = 1_000;

interface SavedWebKey {
  view: WebKeyView;
  /** The names of the fields that the request had in addition. */
  ignored: string[];
}

/** Publishable keys, with which pages of their origins create web calls of one agent. */
@Injectable()
export class WebKeysService {
  private readonly origins = new LRUCache<string, Promise<boolean>>({ max: KNOWN_ORIGINS, ttl: ORIGIN_MS });

  constructor(
    private readonly keys: WebKeysRepository,
    private readonly existence: RecordExistenceRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly database: Database,
    private readonly audit: AuditService,
  ) {}

  /** A page of the account's keys, newest first. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
  ): Promise<{ keys: WebKeyView[]; total: number }> {
    const [keys, total] = await this.keys.page(accountId, place);
    return { keys: keys.map(webKeyView), total };
  }

  /** @throws NotFound */
  async find(accountId: number, id: number): Promise<WebKeyView> {
    const found = await this.keys.find(accountId, id);
    if (!found) throw new NotFound('Web key');
    return webKeyView(found);
  }

  /** Throws InvalidFields, and Conflict when the account has no room or the key of the request was used with another body. */
  async create(acting: Acting, body: object, key?: IdempotencyKey): Promise<SavedWebKey & { replayed: boolean }> {
    const { fields, ignored } = readFields(newWebKey, body);
    const { accountId } = acting;
    const { answer, replayed } = await this.idempotency.createOnce(accountId, key, async (tx) => {
      await this.existence.lockAccount(accountId, tx);
      await this.requireAgent(accountId, fields.agent_id, tx);
      if ((await this.keys.countLive(accountId, tx)) >= KEYS_PER_ACCOUNT)
        throw new Conflict(`The account has ${KEYS_PER_ACCOUNT.toLocaleString('en-US')} web keys. Revoke one first.`);
      const secret = PREFIX + randomBytes(KEY_BYTES).toString('base64url');
      const id = await this.keys.insert({ accountId, key: secret, ...webKeyColumns(fields) }, tx);
      await this.record(acting, 'web_key.created', { id, agentId: fields.agent_id, name: fields.name }, tx);
      return webKeyView((await this.keys.find(accountId, id, tx))!);
    });
    this.origins.clear();
    return { view: answer, ignored, replayed };
  }

  /** Applies the given fields. Throws NotFound, InvalidFields, and Conflict for a revoked key. */
  async update(acting: Acting, id: number, body: object): Promise<SavedWebKey> {
    const { fields, ignored } = readFields(changedWebKey, body);
    const view = await this.database.entityTransaction(async (tx) => {
      const stored = await this.keys.lock(acting.accountId, id, tx);
      if (!stored) throw new NotFound('Web key');
      if (stored.revokedAt) throw new Conflict('The web key is revoked and cannot be changed. Create another one.');
      if (fields.agent_id !== undefined) await this.requireAgent(acting.accountId, fields.agent_id, tx);
      const columns = webKeyColumns(fields);
      if (Object.keys(columns).length > 0) {
        await this.keys.update(id, columns, tx);
        await this.record(
          acting,
          'web_key.updated',
          { id, agentId: columns.agentId ?? stored.agentId, name: columns.name ?? stored.name },
          tx,
          {
            fields: Object.keys(fields),
          },
        );
      }
      return webKeyView((await this.keys.find(acting.accountId, id, tx))!);
    });
    this.origins.clear();
    return { view, ignored };
  }

  /** Ends a key; its live calls go on. A second revocation keeps the time of the first. Throws NotFound. */
  async revoke(acting: Acting, id: number): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      const stored = await this.keys.lock(acting.accountId, id, tx);
      if (!stored) throw new NotFound('Web key');
      if (stored.revokedAt) return;
      await this.keys.update(id, { revokedAt: new Date() }, tx);
      await this.record(acting, 'web_key.revoked', stored, tx);
    });
    this.origins.clear();
  }

  /** The key of a request of a page. Undefined: unknown, revoked, or (without a query) malformed. */
  async authenticate(key: string): Promise<LiveWebKey | undefined> {
    const found = FORM.test(key) ? await this.keys.live(key) : undefined;
    if (found) await this.keys.touch(found.id);
    return found;
  }

  /** Whether pages of an origin may ask: a live key names it. */
  mayAsk(origin: string): Promise<boolean> {
    const known = this.origins.get(origin);
    if (known) return known;
    const asked = this.keys.haveOrigin(origin);
    asked.catch(() => this.origins.delete(origin));
    this.origins.set(origin, asked);
    return asked;
  }

  private async requireAgent(accountId: number, agentId: number, tx: EntityTransaction): Promise<void> {
    if (await this.existence.exists(accountId, { table: 'agents', id: agentId }, tx)) return;
    throw new InvalidFields({ agent_id: [noRecord('agent', agentId)] });
  }

  private record(
    { accountId, actor }: Acting,
    action: `web_key.${string}`,
    { id, agentId, name }: Pick<WebKeyEntity, 'id' | 'agentId' | 'name'>,
    tx: EntityTransaction,
    details: object = {},
  ): Promise<void> {
    const subject = { kind: 'web_key', id };
    return this.audit.record(
      { accountId, actor, action, subject, details: { name, agent_id: agentId, ...details } },
      tx,
    );
  }
}

export const isWebKey = (token: string): boolean => token.startsWith(PREFIX);

const webKeyView = (key: WebKeyEntity) => ({
  id: key.id,
  name: key.name,
  key: key.key,
  agent_id: key.agentId,
  origins: key.origins,
  calls_per_minute: key.callsPerMinute,
  concurrent_calls: key.concurrentCalls,
  daily_spend_usd: key.dailySpendMicros === null ? null : usd(Number(key.dailySpendMicros)),
  max_seconds: key.maxSeconds,
  variables_allowed: key.variablesAllowed,
  created_at: isoTime(key.createdAt),
  last_used_at: timeOrNull(key.lastUsedAt),
  revoked_at: timeOrNull(key.revokedAt),
});

export type WebKeyView = ReturnType<typeof webKeyView>;
