import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { DIAL_TRUNK, type DialTrunk } from './dial-trunk.js';
import type { RegistrationState } from './sip-trunk.entity.js';

/** A registration that one dialer keeps, until its lease expires. */
export interface ClaimedRegistration {
  trunkId: number;
  accountId: number;
  trunk: DialTrunk;
  /** Changes with the settings of the trunk. */
  revision: string;
  contactToken: string;
  /** The registered URI of the dialer that kept the registration before. */
  contact: string | null;
}

/** A registration of this dialer, after the renewal of its lease. */
interface RenewedRegistration extends Record<string, unknown> {
  trunkId: number;
  revision: string;
  /** A test of the API waits for a new REGISTER. */
  refresh: boolean;
}

/** The last result of a registration; times in milliseconds since 1970. */
export interface RegistrationResult {
  state: RegistrationState;
  status?: number;
  reason?: string;
  /** `sip1.example.net:5060`. */
  target?: string;
  contact?: string;
  until?: number;
  retryAt?: number;
}

/** Another dialer takes over after this time without a renewal. */
const LEASE = `interval '10 s'`;

// The first dialer that locks the row takes it; the others wait for the row and find that its lease is not over.
const CLAIM = {
  name: 'claim-trunk-registrations',
  text: `WITH free AS (
      SELECT t.id FROM sip_trunks t LEFT JOIN trunk_registrations r ON r.trunk_id = t.id
       WHERE t.active AND t.register IS NOT NULL AND (r.lease_until IS NULL OR r.lease_until <= now())
       ORDER BY t.id LIMIT $2),
    claimed AS (
      INSERT INTO trunk_registrations AS r (trunk_id, dialer, lease_until, contact_token)
          SELECT id, $1, clock_timestamp() + ${LEASE}, gen_random_uuid() FROM free
        ON CONFLICT (trunk_id) DO UPDATE SET dialer = excluded.dialer, lease_until = excluded.lease_until
          WHERE r.lease_until <= now()
        RETURNING *)
    SELECT t.id AS "trunkId", t.account_id AS "accountId", ${DIAL_TRUNK} AS trunk, t.updated_at::text AS revision,
        c.contact_token AS "contactToken", c.contact
      FROM claimed c JOIN sip_trunks t ON t.id = c.trunk_id`,
};

const RENEW = {
  name: 'renew-trunk-registrations',
  text: `WITH held AS (
      UPDATE trunk_registrations SET lease_until = now() + ${LEASE} WHERE dialer = $1 AND trunk_id = ANY ($2::int[])
        RETURNING trunk_id, refresh_requested_at)
    SELECT t.id AS "trunkId", t.updated_at::text AS revision, h.refresh_requested_at IS NOT NULL AS refresh
      FROM held h JOIN sip_trunks t ON t.id = h.trunk_id WHERE t.active AND t.register IS NOT NULL`,
};

const STORE = {
  name: 'store-trunk-registration',
  text: `UPDATE trunk_registrations SET state = $3, sip_status = $4, reason = $5, target = coalesce($6, target), contact = coalesce($7, contact),
      expires_at = to_timestamp($8::float8 / 1000), retry_at = to_timestamp($9::float8 / 1000), updated_at = now(),
      changed_at = CASE WHEN state = $3 THEN changed_at ELSE now() END,
      refresh_requested_at = CASE WHEN $3 = 'registering' THEN refresh_requested_at END
    WHERE trunk_id = $1 AND dialer = $2`,
};

const RELEASE = {
  name: 'release-trunk-registrations',
  text: `UPDATE trunk_registrations SET lease_until = now(), dialer = NULL, state = 'unregistered', sip_status = NULL, reason = NULL,
      contact = NULL, expires_at = NULL, retry_at = NULL, changed_at = now(), updated_at = now()
    WHERE dialer = $1 AND trunk_id = ANY ($2::int[])`,
};

/** Registrations of trunks: which dialer keeps them, and their results. Prepared: each dialer polls them. */
@Injectable()
export class TrunkRegistrationsRepository {
  constructor(private readonly database: Database) {}

  /** Claims registrations that no dialer keeps. */
  claim(dialer: string, limit: number): Promise<ClaimedRegistration[]> {
    return this.database.rows<ClaimedRegistration & Record<string, unknown>>(CLAIM, [dialer, limit]);
  }

  /** Renews the leases; a trunk that is missing in the result is not kept any more. */
  renew(dialer: string, trunkIds: readonly number[]): Promise<RenewedRegistration[]> {
    return this.database.rows<RenewedRegistration>(RENEW, [dialer, trunkIds]);
  }

  /** Does nothing when another dialer keeps the registration. */
  async store(dialer: string, trunkId: number, result: RegistrationResult): Promise<void> {
    const { state, status, reason, target, contact, until, retryAt } = result;
    const optional = [status, reason, target, contact, until, retryAt].map((value) => value ?? null);
    await this.database.rows(STORE, [trunkId, dialer, state, ...optional]);
  }

  /** Lets other dialers claim the registrations at once. */
  async release(dialer: string, trunkIds: readonly number[]): Promise<void> {
    await this.database.rows(RELEASE, [dialer, trunkIds]);
  }
}
