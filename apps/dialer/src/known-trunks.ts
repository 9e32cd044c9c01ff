import { type AllowList, allowList, isInNetworks, type Log, type Encryption } from '@app/common';
import { rows } from '@app/database';
import type { KnownCallers } from '@app/telephony';
import type { Pool } from 'pg';

/** How long a change of a trunk may take to be noticed. */
export const REFRESH_MS = 3_000;
/** An installation with more of them has to say so in the log. */
const MOST_TRUNKS = 10_000;

interface TrunkRow {
  id: number;
  inbound_addresses: string[];
  inbound_username: string | null;
  inbound_password_sealed: Buffer | null;
}

const INBOUND_TRUNKS = {
  name: 'inbound-trunks',
  text: `SELECT id, inbound_addresses, inbound_username, inbound_password_sealed FROM sip_trunks
      WHERE active AND inbound_enabled ORDER BY id LIMIT ${MOST_TRUNKS + 1}`,
};

/** The trunks that may call in, as they were a few seconds ago: asked for every request, so never a query of its own. */
export class KnownTrunks implements KnownCallers {
  private networks: { name: string; networks: AllowList }[] = [];
  private signers = new Map<string, { name: string; password: string }[]>();

  private constructor(
    private readonly pool: Pool,
    private readonly encryption: Encryption,
    private readonly log: Log,
  ) {}

  static async read(pool: Pool, encryption: Encryption, log: Log): Promise<KnownTrunks> {
    const known = new KnownTrunks(pool, encryption, log);
    await known.refresh();
    return known;
  }

  get usesDigest(): boolean {
    return this.signers.size > 0;
  }

  byAddress(address: string): string[] {
    return this.networks.filter(({ networks }) => isInNetworks(address, networks)).map(({ name }) => name);
  }

  byUsername(username: string): readonly { name: string; password: string }[] {
    return this.signers.get(username) ?? [];
  }

  async refresh(): Promise<void> {
    const trunks = await rows<TrunkRow & Record<string, unknown>>(this.pool, INBOUND_TRUNKS);
    if (trunks.length > MOST_TRUNKS)
      this.log.error({ trunks: MOST_TRUNKS }, 'there are more inbound trunks than are read');
    const signers = new Map<string, { name: string; password: string }[]>();
    for (const trunk of trunks) {
      const password = this.passwordOf(trunk);
      const username = trunk.inbound_username;
      if (username === null || password === undefined) continue;
      signers.set(username, [...(signers.get(username) ?? []), { name: String(trunk.id), password }]);
    }
    this.signers = signers;
    this.networks = trunks
      .filter((trunk) => trunk.inbound_addresses.length > 0)
      .map((trunk) => ({ name: String(trunk.id), networks: allowList(trunk.inbound_addresses) }));
  }

  private passwordOf({ id, inbound_password_sealed: sealed }: TrunkRow): string | undefined {
    if (sealed === null) return undefined;
    try {
      return this.encryption.decrypt(sealed, 'trunk-inbound-password');
    } catch (err) {
      // One trunk that was sealed with another key must not keep the others out.
      this.log.error({ err, trunk_id: id }, 'the inbound password of a trunk cannot be opened');
      return undefined;
    }
  }
}
