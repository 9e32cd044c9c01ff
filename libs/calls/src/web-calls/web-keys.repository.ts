import { Database, entityPage, type EntityTransaction, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { WebKeyEntity } from './web-key.entity.js';

/** A live key, as the requests of pages need it. */
export interface LiveWebKey {
  id: number;
  account_id: number;
  agent_id: number;
  origins: string[];
  calls_per_minute: number;
  concurrent_calls: number;
  daily_spend_micros: string | null;
  max_seconds: number;
  variables_allowed: string[];
}

/** What the calls of a key occupy. */
interface KeyUse {
  live: number;
  spent_micros: string;
  /** Until a new UTC day begins. */
  seconds_left: number;
}

const FIND_LIVE = {
  name: 'find-live-web-key',
  text: `SELECT id, account_id, agent_id, origins, calls_per_minute, concurrent_calls, daily_spend_micros, max_seconds, variables_allowed
    FROM web_keys WHERE key = $1 AND revoked_at IS NULL`,
};

const HAS_ORIGIN = {
  name: 'web-keys-have-origin',
  text: `SELECT EXISTS (SELECT FROM web_keys WHERE origins @> ARRAY[$1::text] AND revoked_at IS NULL) AS found`,
};

const TOUCH = {
  name: 'touch-web-key',
  text: `UPDATE web_keys SET last_used_at = now() WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
};

/** The row lock serialises the creations with a key, so that they do not exceed its limits together. */
const LOCK = { name: 'lock-web-key', text: 'SELECT 1 FROM web_keys WHERE id = $1 FOR NO KEY UPDATE' };

/** A live call was created at most its maximum length ago, with the time of its token and of its end. */
const USE = {
  name: 'use-of-web-key',
  text: `SELECT
      (SELECT count(*)::integer FROM web_calls w JOIN calls c ON c.id = w.call_id AND c.ended_at IS NULL
        WHERE w.web_key_id = k.id AND w.created_at > now() - (k.max_seconds + 300) * interval '1 second') AS live,
      CASE WHEN k.daily_spend_micros IS NULL THEN 0 ELSE (
        SELECT coalesce(sum(coalesce(c.cost_micros, c.reserved_micros, 0)), 0) FROM web_calls w JOIN calls c ON c.id = w.call_id
        WHERE w.web_key_id = k.id AND w.created_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') END AS spent_micros,
      ceil(extract(epoch FROM (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' - now()))::integer
        AS seconds_left
    FROM web_keys k WHERE k.id = $1`,
};

/** Publishable keys. Statements of pages' requests are prepared; the administration uses the entity. */
@Injectable()
export class WebKeysRepository {
  constructor(
    @InjectRepository(WebKeyEntity) private readonly keys: Repository<WebKeyEntity>,
    private readonly database: Database,
  ) {}

  /** Newest first, revoked ones included. */
  page(accountId: number, { page, perPage }: { page: number; perPage: number }): Promise<[WebKeyEntity[], number]> {
    const keys = this.keys.createQueryBuilder('key').where({ accountId }).orderBy('key.id', 'DESC');
    return entityPage(keys, { limit: perPage, offset: (page - 1) * perPage });
  }

  find(accountId: number, id: number, tx?: EntityTransaction): Promise<WebKeyEntity | null> {
    const keys = tx ? tx.manager.getRepository(WebKeyEntity) : this.keys;
    return keys.findOneBy({ accountId, id });
  }

  lock(accountId: number, id: number, tx: EntityTransaction): Promise<WebKeyEntity | null> {
    return tx.manager.findOne(WebKeyEntity, { where: { accountId, id }, lock: { mode: 'pessimistic_write' } });
  }

  countLive(accountId: number, tx: EntityTransaction): Promise<number> {
    return tx.manager.countBy(WebKeyEntity, { accountId, revokedAt: IsNull() });
  }

  async insert(key: Partial<WebKeyEntity>, tx: EntityTransaction): Promise<number> {
    const { identifiers } = await tx.manager.insert(WebKeyEntity, key);
    return (identifiers[0] as { id: number }).id;
  }

  async update(id: number, changes: Partial<WebKeyEntity>, tx: EntityTransaction): Promise<void> {
    await tx.manager.update(WebKeyEntity, id, changes);
  }

  /** Undefined: there is no such key, or it was revoked. */
  async live(key: string): Promise<LiveWebKey | undefined> {
    const [found] = await this.database.rows<LiveWebKey & Record<string, unknown>>(FIND_LIVE, [key]);
    return found;
  }

  /** Whether a live key of any account names the origin. */
  async haveOrigin(origin: string): Promise<boolean> {
    const [row] = await this.database.rows<{ found: boolean }>(HAS_ORIGIN, [origin]);
    return row?.found ?? false;
  }

  async touch(id: number): Promise<void> {
    await this.database.rows(TOUCH, [id]);
  }

  /** Locks the key until the end of the transaction. */
  async lockedUse(id: number, tx: Sql): Promise<KeyUse> {
    await this.database.rows(LOCK, [id], tx);
    const [use] = await this.database.rows<KeyUse & Record<string, unknown>>(USE, [id], tx);
    return use ?? { live: 0, spent_micros: '0', seconds_left: 0 };
  }
}
