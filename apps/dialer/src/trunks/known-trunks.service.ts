import { type InboundTrunk, TrunksService } from '@app/accounts';
import {
  type AllowList,
  allowList,
  Encryption,
  isInNetworks,
  type Log,
  type PeriodicTask,
  runPeriodically,
} from '@app/common';
import { LOG } from '@app/common/settings';
import { isSameAddress, type KnownCallers } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';

/** The delay until a change of a trunk takes effect. */
const REFRESH_MS = 3_000;
/** The log warns an installation with more trunks. */
const MAX_TRUNKS = 10_000;

/** The inbound trunks, cached for a few seconds: every SIP request is compared with them without a query. */
@Injectable()
export class KnownTrunksService implements KnownCallers {
  private networks: { name: string; networks: AllowList }[] = [];
  private signers = new Map<string, { name: string; password: string }[]>();
  /** The trunks that this dialer keeps registered, and the servers that may send their calls. */
  private readonly registrations = new Map<number, { contactUser: string; addresses: readonly string[] }>();
  private refreshing?: PeriodicTask;

  constructor(
    private readonly trunks: TrunksService,
    private readonly encryption: Encryption,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Resolves when the trunks have been read; reads them again every few seconds. */
  async start(): Promise<void> {
    await this.refresh();
    this.refreshing = runPeriodically(REFRESH_MS, () => this.refresh(), this.log);
  }

  async stop(): Promise<void> {
    await this.refreshing?.stop();
  }

  get usesDigest(): boolean {
    return this.signers.size > 0;
  }

  byAddress(address: string): string[] {
    return this.networks.filter(({ networks }) => isInNetworks(address, networks)).map(({ name }) => name);
  }

  get usesContacts(): boolean {
    return this.registrations.size > 0;
  }

  byContact(user: string, address: string): string[] {
    return [...this.registrations]
      .filter(([, { contactUser, addresses }]) => contactUser === user && addresses.includes(address))
      .map(([trunkId]) => String(trunkId));
  }

  byRegistrar(address: string): string[] {
    return [...this.registrations]
      .filter(([, { addresses }]) => addresses.some((one) => isSameAddress(one, address)))
      .map(([trunkId]) => String(trunkId));
  }

  registered(trunkId: number, contactUser: string, addresses: readonly string[]): void {
    this.registrations.set(trunkId, { contactUser, addresses });
  }

  unregistered(trunkId: number): void {
    this.registrations.delete(trunkId);
  }

  byUsername(username: string): readonly { name: string; password: string }[] {
    return this.signers.get(username) ?? [];
  }

  async refresh(): Promise<void> {
    const trunks = await this.trunks.inbound(MAX_TRUNKS + 1);
    if (trunks.length > MAX_TRUNKS)
      this.log.error({ trunks: MAX_TRUNKS }, 'there are more inbound trunks than are read');
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

  private passwordOf({ id, inbound_password_sealed: sealed }: InboundTrunk): string | undefined {
    if (sealed === null) return undefined;
    try {
      return this.encryption.decrypt(sealed, 'trunk-inbound-password');
    } catch (err) {
      // A trunk encrypted with another key must not exclude the others.
      this.log.error({ err, trunk_id: id }, 'the inbound password of a trunk cannot be decrypted');
      return undefined;
    }
  }
}
