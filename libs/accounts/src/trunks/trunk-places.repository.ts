import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { StoredDialFormats, StoredTarget } from './sip-trunk.entity.js';

/** An active trunk of the account. */
export interface OwnTrunk {
  id: number;
  host: string;
  port: number | null;
  targets: StoredTarget[] | null;
  dial_formats: StoredDialFormats | null;
}

/** What the trunks of all accounts tell about places. */
interface KnownPlaces extends Record<string, unknown> {
  /** By id. */
  own: OwnTrunk[];
  /** Places at which trunks of the account have answered. */
  answered: { trunk_id: number; place: string }[];
  /** Places at which trunks of other accounts without credentials have answered. */
  foreign: string[];
}

/** A place that has not answered for this long may belong to another party. */
const KEPT_DAYS = 30;
/** Of one trunk: the DNS of a name may give another address at every call. */
const MAX_PLACES = 64;

/**
 * Parameters: account, places. Inactive trunks of other accounts count, because their carriers still trust the address of this
 * installation. Both parts of `trunk_places` use its index.
 */
const KNOWN = {
  name: 'known-sip-places',
  text: `WITH found AS MATERIALIZED (
      SELECT p.trunk_id, p.place FROM trunk_places p
        WHERE p.place = ANY ($2::text[]) AND p.answered_at > now() - interval '${KEPT_DAYS} days')
    SELECT (SELECT coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'host', t.host, 'port', t.port, 'targets', t.targets,
        'dial_formats', t.dial_formats) ORDER BY t.id), '[]') FROM sip_trunks t WHERE t.account_id = $1 AND t.active) AS own,
      (SELECT coalesce(jsonb_agg(f), '[]') FROM found f JOIN sip_trunks t ON t.id = f.trunk_id WHERE t.account_id = $1) AS answered,
      ARRAY(SELECT f.place FROM found f JOIN sip_trunks t ON t.id = f.trunk_id WHERE t.account_id <> $1
        AND t.password_sealed IS NULL AND t.tls_key_sealed IS NULL) AS "foreign"`,
};

/** Parameters: trunk, places, their targets. The newest places are kept. Nothing is written for a trunk that was deleted meanwhile. */
const ANSWERED = {
  name: 'trunk-answered',
  text: `WITH old AS (
      DELETE FROM trunk_places WHERE trunk_id = $1 AND place IN (
        SELECT place FROM (SELECT place, answered_at, row_number() OVER (ORDER BY answered_at DESC, place) AS rank
          FROM trunk_places WHERE trunk_id = $1 AND place <> ALL ($2::text[])) AS others
          WHERE rank > ${MAX_PLACES} - cardinality($2::text[]) OR answered_at < now() - interval '${KEPT_DAYS} days'))
    INSERT INTO trunk_places (trunk_id, place, target, answered_at)
      SELECT t.id, p.place, p.target, now() FROM sip_trunks t, unnest($2::text[], $3::text[]) AS p (place, target) WHERE t.id = $1
      ON CONFLICT (trunk_id, place) DO UPDATE SET target = excluded.target, answered_at = excluded.answered_at`,
};

/** Parameters: trunk, the places of its targets. */
const FORGET = {
  name: 'forget-trunk-places',
  text: 'DELETE FROM trunk_places WHERE trunk_id = $1 AND target <> ALL ($2::text[])',
};

/** Where trunks have answered. */
@Injectable()
export class TrunkPlacesRepository {
  constructor(private readonly database: Database) {}

  async known(accountId: number, places: readonly string[]): Promise<KnownPlaces> {
    const [known] = await this.database.quickRows<KnownPlaces>(KNOWN, [accountId, places]);
    if (!known) throw new Error('A statement without FROM returns one row.');
    return known;
  }

  /** `places` are distinct, each with the place of its target. */
  async answered(trunkId: number, places: ReadonlyMap<string, string>): Promise<void> {
    await this.database.rows(ANSWERED, [trunkId, [...places.keys()], [...places.values()]]);
  }

  /** Deletes the places of targets that the trunk no longer has. */
  async keepTargets(trunkId: number, targets: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(FORGET, [trunkId, targets], tx);
  }
}
