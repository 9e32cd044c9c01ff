import { AccountsService, mayBeDialled, SipRoutesService } from '@app/accounts';
import { DialChecksService } from '@app/calls';
import { allowList, assertAddressAllowed, type Env } from '@app/common';
import type { DialledAgent, TestedCall } from '../tester/tested-call.js';
import type { Scenario } from '@app/agents/scenarios';
import { ENV } from '@app/common/settings';
import { sipDestination } from '@app/telephony';
import { openTranscriber, type ProviderSettings, providerSettings, systemClock, type Transcriber } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { ChannelUnavailable } from '../simulations.service.js';

type CallEnd = Parameters<DialledAgent['unanswered']>[0];

/** Calls of testers to agents outside of the service, at any SIP URI. */
@Injectable()
export class OutsideCallsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly routes: SipRoutesService,
    private readonly checks: DialChecksService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** @throws ProviderUnavailable, ChannelUnavailable */
  async open(accountId: number, { target, transcriber }: Scenario): Promise<TestedCall> {
    if (target === undefined || !transcriber)
      throw new ChannelUnavailable('An agent outside of Trunkline needs `target` and `transcriber`.');
    const dials = this.dials(target);
    // The INVITE has the rebuilt URI: permission for another reading of the text would be worth nothing.
    const targetAllowed = await this.permission(accountId, dials.requestUri);
    const { OutsideCall } = await import('../sandbox.js');
    const { language, keywords } = transcriber;
    return new OutsideCall({
      dials: { ...dials, targetAllowed },
      transcriber: await this.openTranscriber(transcriber),
      language,
      keywords,
    });
  }

  /**
   * The rules of the account's calls apply. Numbers at the carrier of a trunk need a call of the service, which counts towards the limits of
   * the trunk. @throws ChannelUnavailable
   */
  private async permission(accountId: number, target: string): Promise<DialledAgent['targetAllowed']> {
    const { limits } = await this.accounts.find(accountId);
    const route = await this.routes.routeForDialling(accountId, limits.destinations, target);
    if (route.kind === 'refused') throw new ChannelUnavailable(`${target} cannot be called: ${route.problem}`);
    if (await this.checks.isListed(accountId, target))
      throw new ChannelUnavailable(`${target} cannot be called: the number is on the do-not-call list of the account.`);
    if (mayBeDialled(target) && route.kind === 'trunk')
      throw new ChannelUnavailable(`${target} leads to a trunk of the account, over which testers call no numbers.`);
    return async (uri, to) =>
      mayBeDialled(uri) ? this.routes.mayGoDirectly(accountId, limits.destinations, uri, to) : to.map(() => true);
  }

  private async openTranscriber({ provider, model }: NonNullable<Scenario['transcriber']>): Promise<Transcriber> {
    const { builtInSpeech } = await import('../sandbox.js');
    const settings = withoutPlayedVendors(providerSettings(this.env));
    return openTranscriber({ provider, model }, { settings, clock: systemClock, speech: builtInSpeech() });
  }

  private dials(target: string): DialledAgent {
    const inside = allowList(this.env.SIP_ALLOW_CIDRS);
    return {
      ...sipDestination({ kind: 'sip', uri: target }, undefined),
      checkAddress: (address) => assertAddressAllowed(address, inside),
      unanswered: (result) => `${target} ${this.reasonOf(result)}`,
    };
  }

  private reasonOf(result: CallEnd): string {
    switch (result.kind) {
      case 'rejected':
        return `refused the call with SIP status ${result.status} ${result.reason}.`.replace(/\s+\.$/, '.');
      case 'blocked':
        return 'has no public address: SIP_ALLOW_CIDRS must contain it.';
      case 'unreachable':
        return `could not be reached from ${this.env.TESTER_BIND}: TESTER_BIND must be an address that the agent reaches.`;
      default:
        return `did not answer the call (${result.kind}).`;
    }
  }
}

/** The sandbox recognises the words of tester callers only. */
function withoutPlayedVendors(settings: ProviderSettings): ProviderSettings {
  const called = Object.entries(settings.vendors ?? {}).filter(([, { isSandbox }]) => !isSandbox);
  return { ...settings, vendors: Object.fromEntries(called) };
}
