import { type ClaimedRegistration, type RegistrationResult, TrunkRegistrationsRepository } from '@app/accounts';
import { type Log, newId, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/common/settings';
import type { RegistrationState, TrunkRegistration } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { KnownTrunksService } from './known-trunks.service.js';
import { TelephonyService } from './telephony.service.js';

/** Five renewals fit into a lease. */
const ROUND_MS = 2_000;
/** New registrations per round: hundreds of trunks must not be a burst of requests to one carrier. */
const AT_ONCE = 20;

interface Kept {
  revision: string;
  registration: TrunkRegistration;
  /** Stores the results in their order. */
  stored: Promise<void>;
}

/** Keeps trunks registered at their carriers. Each trunk has one dialer; another one takes over within seconds when that is lost. */
@Injectable()
export class TrunkRegistrationsService {
  /** Another id than that of the dialer's calls, which is declared dead by its own rules. */
  private readonly id = newId();
  private readonly kept = new Map<number, Kept>();
  private repeating?: PeriodicTask;

  constructor(
    private readonly registrations: TrunkRegistrationsRepository,
    private readonly telephony: TelephonyService,
    private readonly knownTrunks: KnownTrunksService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Does nothing with an engine that cannot register. */
  start(): void {
    if (!this.telephony.caps.registration) return;
    this.repeating = runPeriodically(ROUND_MS, () => this.round(), this.log);
  }

  /** Removes the registrations at the carriers; another dialer may register at once. */
  async stop(): Promise<void> {
    await this.repeating?.stop();
    await this.drop([...this.kept.keys()]);
  }

  private async round(): Promise<void> {
    await this.renew();
    for (const claimed of await this.registrations.claim(this.id, AT_ONCE)) this.keep(claimed);
  }

  private async renew(): Promise<void> {
    if (this.kept.size === 0) return;
    const renewed = await this.registrations.renew(this.id, [...this.kept.keys()]);
    const current = new Map(renewed.map((one) => [one.trunkId, one]));
    const changed = [...this.kept].filter(([id, { revision }]) => current.get(id)?.revision !== revision);
    await this.drop(changed.map(([id]) => id));
    for (const { trunkId, refresh } of renewed) if (refresh) this.kept.get(trunkId)?.registration.refresh();
  }

  private keep(claimed: ClaimedRegistration): void {
    const { trunkId, trunk, contactToken, contact, revision } = claimed;
    const contactUser = trunk.register?.contact_user ?? contactToken;
    try {
      const registration = this.telephony.register(trunk, { contactUser, replaces: contact ?? undefined }, (state) =>
        this.changed(claimed, contactUser, state),
      );
      this.kept.set(trunkId, { revision, registration, stored: Promise.resolve() });
    } catch (err) {
      // For example a password that was encrypted with another key. The lease expires, and the next claim tries again.
      this.log.error({ err, trunk_id: trunkId }, 'a trunk could not be registered');
      const reason = 'The registration could not be started; the log of the dialer contains the error.';
      void this.store(trunkId, { state: 'failed', reason });
    }
  }

  private changed({ accountId, trunkId }: ClaimedRegistration, contactUser: string, found: RegistrationState): void {
    const fields = { account_id: accountId, trunk_id: trunkId };
    if (found.state === 'registered') this.knownTrunks.registered(trunkId, contactUser, found.addresses);
    if (found.state === 'failed') this.log.warn({ ...fields, reason: found.reason }, 'a trunk could not be registered');
    const result = resultOf(found);
    // The first event arrives before the registration is kept.
    queueMicrotask(() => {
      const kept = this.kept.get(trunkId);
      if (kept) kept.stored = kept.stored.then(() => this.store(trunkId, result));
    });
  }

  private async store(trunkId: number, result: RegistrationResult): Promise<void> {
    try {
      await this.registrations.store(this.id, trunkId, result);
    } catch (err) {
      this.log.error({ err, trunk_id: trunkId }, 'the registration of a trunk could not be stored');
    }
  }

  private async drop(trunkIds: number[]): Promise<void> {
    if (trunkIds.length === 0) return;
    await Promise.all(
      trunkIds.map(async (id) => {
        const kept = this.kept.get(id);
        this.kept.delete(id);
        this.knownTrunks.unregistered(id);
        await kept?.registration.stop();
        await kept?.stored;
      }),
    );
    await this.registrations.release(this.id, trunkIds);
  }
}

function resultOf(found: RegistrationState): RegistrationResult {
  if (found.state === 'registering') return found;
  if (found.state === 'failed')
    return { state: 'failed', status: found.status, reason: found.reason, retryAt: found.retryAt };
  const { address, port, transport } = found.target;
  const target = `${transport}:${address.includes(':') ? `[${address}]` : address}:${port}`;
  return { state: 'registered', status: 200, target, contact: found.contact, until: found.until };
}
