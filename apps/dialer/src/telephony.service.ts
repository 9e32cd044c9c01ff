import { type DialTrunk, type OpenTrunkSecret, trunkOf } from '@app/accounts';
import { CallProgressService, type OwnedCall, RecordingsService } from '@app/calls';
import { Encryption } from '@app/common';
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
import { Injectable } from '@nestjs/common';
import type { CallContext } from './call-context.service.js';
import { CallEngineService } from './call-engine.service.js';
import { dialRequest, incomingRequest, type IsListed } from './dial-request.js';
import { EvidenceWriter } from './evidence-writer.js';

type IncomingLeg = ReturnType<Invitation['accept']>;

/** Places and takes the legs of calls; each leg leaves its evidence. */
@Injectable()
export class TelephonyService {
  constructor(
    private readonly engines: CallEngineService,
    private readonly evidence: EvidenceWriter,
    private readonly recordings: RecordingsService,
    private readonly progress: CallProgressService,
    private readonly encryption: Encryption,
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
    const leg = this.engines.engine.dial(dialRequest(context, this.recordings, this.openTrunkSecret, this.isListed));
    this.evidence.follow(call, leg);
    return leg;
  }

  /** Accepts the first leg of an inbound call. */
  takeCall(call: OwnedCall, context: CallContext, invitation: Invitation): IncomingLeg {
    const leg = invitation.accept(incomingRequest(context, this.recordings));
    this.evidence.follow(call, leg);
    return leg;
  }

  /** Dials a further leg of a call. */
  dial(call: OwnedCall, trunk: DialTrunk, request: Omit<DialRequest, 'trunk'>): CallLeg {
    const leg = this.engines.engine.dial({ ...request, trunk: trunkOf(trunk, this.openTrunkSecret) });
    this.evidence.follow(call, leg);
    return leg;
  }

  private readonly isListed: IsListed = (accountId, destination) => this.progress.isListed(accountId, destination);

  private readonly openTrunkSecret: OpenTrunkSecret = (encrypted, context) =>
    this.encryption.decrypt(Buffer.from(encrypted, 'base64'), context);
}
