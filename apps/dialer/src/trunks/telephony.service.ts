import { type DialTrunk, type OpenTrunkSecret, SipRoutesService, trunkOf } from '@app/accounts';
import { CallClaimsService, DialChecksService, type OwnedCall, RecordingsService } from '@app/calls';
import { Encryption, type Log } from '@app/common';
import { LOG } from '@app/common/settings';
import type {
  CallLeg,
  CarrierEngine,
  DialRequest,
  Invitation,
  RegisterRequest,
  RegistrationState,
  TrunkHealth,
  TrunkRegistration,
} from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import type { CallContext } from '../call/call-context.service.js';
import { CallEngineService } from './call-engine.service.js';
import { dialRequest, incomingRequest, type IsListed } from '../call/dial-request.js';
import { EvidenceWriterService } from './evidence-writer.service.js';
import { type PermittedLeg, permitsOf } from './leg-permits.js';

type IncomingLeg = ReturnType<Invitation['accept']>;

/** Places and takes the legs of calls; each leg leaves its evidence. */
@Injectable()
export class TelephonyService {
  constructor(
    private readonly engines: CallEngineService,
    private readonly evidence: EvidenceWriterService,
    private readonly recordings: RecordingsService,
    private readonly checks: DialChecksService,
    private readonly claims: CallClaimsService,
    private readonly routes: SipRoutesService,
    private readonly encryption: Encryption,
    @Inject(LOG) private readonly log: Log,
  ) {}

  get caps(): CarrierEngine['caps'] {
    return this.engines.engine.caps;
  }

  /** Probes every target of the trunk. */
  async health(trunk: DialTrunk): Promise<TrunkHealth> {
    return this.engines.engine.health(trunkOf(trunk, this.openTrunkSecret));
  }

  /** Keeps the trunk registered at its carrier. @throws when its settings cannot be used */
  register(
    trunk: DialTrunk,
    contact: Pick<RegisterRequest, 'contactUser' | 'replaces'>,
    onChange: (state: RegistrationState) => void,
  ): TrunkRegistration {
    const { engine } = this.engines;
    if (!trunk.register || !engine.register) throw new Error('The trunk or the engine has no registration.');
    const { expires: expiresSeconds, outbound_proxy: proxy } = trunk.register;
    const outboundProxy = proxy ? { ...proxy, port: proxy.port ?? undefined } : undefined;
    const request = { trunk: trunkOf(trunk, this.openTrunkSecret), expiresSeconds, outboundProxy, ...contact };
    return engine.register(request, onChange);
  }

  /** Dials the first leg of an outbound call. */
  placeCall(call: OwnedCall, context: CallContext): CallLeg {
    const permits = this.permits(call, context, 'claimRedirect');
    const leg = this.engines.engine.dial(dialRequest(context, this.recordings, this.openTrunkSecret, permits));
    this.evidence.follow(call, leg);
    this.noteAnswer(leg, context);
    return leg;
  }

  /** Accepts the first leg of an inbound call. */
  takeCall(call: OwnedCall, context: CallContext, invitation: Invitation): IncomingLeg {
    const leg = invitation.accept(incomingRequest(context, this.recordings));
    this.evidence.follow(call, leg);
    return leg;
  }

  /** Dials a further leg of a call over the trunk of `plan`. */
  dial(
    call: OwnedCall,
    plan: PermittedLeg & { trunk: DialTrunk },
    request: Omit<DialRequest, 'trunk' | 'redirectAllowed' | 'targetAllowed'>,
  ): CallLeg {
    const permits = this.permits(call, plan, 'claimTransfer');
    const leg = this.engines.engine.dial({ ...request, ...permits, trunk: trunkOf(plan.trunk, this.openTrunkSecret) });
    this.evidence.follow(call, leg);
    this.noteAnswer(leg, plan);
    return leg;
  }

  private permits(call: OwnedCall, leg: PermittedLeg, claim: 'claimRedirect' | 'claimTransfer') {
    return permitsOf(leg, {
      routes: this.routes,
      isListed: this.isListed,
      claim: (id) => this.claims[claim](call, { id, accountId: leg.account_id }),
      failed: (err) => this.log.error({ err, call_id: call.id }, 'the destination of a call could not be checked'),
    });
  }

  /** An answered call proves that the trunk leads to a carrier, whose host is protected from then on. */
  private noteAnswer(
    leg: CallLeg,
    { trunk_id: trunkId, trunk }: { trunk_id: number | null; trunk: DialTrunk | null },
  ): void {
    if (trunkId === null || !trunk || trunk.livekit_trunk_id !== null) return;
    leg.on('answered', (responder) => {
      if (!responder) return;
      this.routes
        .answeredCall(trunkId, trunk.targets ?? [trunk], responder)
        .catch((err: unknown) =>
          this.log.error({ err, trunk_id: trunkId }, 'the places of a trunk could not be stored'),
        );
    });
  }

  private readonly isListed: IsListed = (accountId, destination) => this.checks.isListed(accountId, destination);

  private readonly openTrunkSecret: OpenTrunkSecret = (encrypted, context) =>
    this.encryption.decrypt(Buffer.from(encrypted, 'base64'), context);
}
