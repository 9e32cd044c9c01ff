import { type DialTrunk, type OpenTrunkSecret, trunkOf } from '@app/accounts';
import { type OwnedCall, RecordingsService } from '@app/calls';
import { allowList, assertAddressAllowed, Encryption, type Env, type Log } from '@app/common';
import { beforeScrape, metrics } from '@app/metrics';
import { ENV, LOG } from '@app/settings';
import {
  Admission,
  type CallLeg,
  type CarrierEngine,
  type DialRequest,
  EmbeddedEngine,
  type Invitation,
  LiveKitEngine,
  type TrunkHealth,
  type UserAgentOptions,
} from '@app/telephony';
import { type ProviderChoice, type ProviderSettings, providerSettings, type Speech } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { agentTasks } from './agent-task.js';
import { type AgentVoices, type OpenedProviders, startVoiceThread } from './agent-voices.js';
import type { CallContext } from './call-context.service.js';
import { dialRequest, incomingRequest } from './dial-request.js';
import { EvidenceWriter } from './evidence-writer.js';
import { KnownTrunks } from './known-trunks.js';
import { startMedia } from './media-host.js';
import { sipLogOf } from './sip-log.js';

type IncomingLeg = ReturnType<Invitation['accept']>;

interface StartedEngine {
  engine: CarrierEngine;
  /** To be closed after the engine. */
  voice: AgentVoices;
  /** Where calls come in; none when SIP is spoken elsewhere. */
  sipPort: number | undefined;
}

/** The call engine that the environment names, with the threads of its audio and the speech of its agents. */
@Injectable()
export class TelephonyService {
  private started?: StartedEngine;

  constructor(
    private readonly knownTrunks: KnownTrunks,
    private readonly evidence: EvidenceWriter,
    private readonly recordings: RecordingsService,
    private readonly encryption: Encryption,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Opens the sockets and starts the threads. Calls that come in are refused until `onIncoming`. */
  async start(): Promise<void> {
    this.watchCertificate();
    const providers = providerSettings(this.env);
    this.started = await (this.env.ENGINE === 'livekit' ? this.startLiveKit(providers) : this.startEmbedded(providers));
  }

  /** Hangs up the remaining legs, and gives back sockets and threads. */
  async close(): Promise<void> {
    await this.started?.engine.close();
    await this.started?.voice.close();
  }

  /** Undefined when SIP is spoken elsewhere. */
  get sipPort(): number | undefined {
    return this.running.sipPort;
  }

  get caps(): CarrierEngine['caps'] {
    return this.running.engine.caps;
  }

  get speech(): Speech {
    return this.running.voice.speech;
  }

  /** Rejects with ProviderUnavailable when none of them can be used. */
  openProviders(wanted: readonly ProviderChoice[]): Promise<OpenedProviders> {
    return this.running.voice.openProviders(wanted);
  }

  onIncoming(handler: (invitation: Invitation) => void): void {
    this.running.engine.onIncoming?.(handler);
  }

  /** Asks every target of the trunk. */
  async health(trunk: DialTrunk): Promise<TrunkHealth> {
    return this.running.engine.health(trunkOf(trunk, this.openTrunkSecret));
  }

  /** Dials the first leg of an outbound call. */
  placeCall(call: OwnedCall, context: CallContext): CallLeg {
    const leg = this.running.engine.dial(dialRequest(context, this.recordings, this.openTrunkSecret));
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
    const leg = this.running.engine.dial({ ...request, trunk: trunkOf(trunk, this.openTrunkSecret) });
    this.evidence.follow(call, leg);
    return leg;
  }

  private readonly openTrunkSecret: OpenTrunkSecret = (encrypted, context) =>
    this.encryption.decrypt(Buffer.from(encrypted, 'base64'), context);

  private get running(): StartedEngine {
    if (!this.started) throw new Error('The call engine is not running.');
    return this.started;
  }

  private async startEmbedded(providers: ProviderSettings): Promise<StartedEngine> {
    const { env, evidence } = this;
    const log = sipLogOf(this.log);
    const { admit } = new Admission({ callers: () => this.knownTrunks, algorithms: env.SIP_DIGEST, log });
    const { host, voice } = await startMedia(env, providers, this.log);
    try {
      const engine = await EmbeddedEngine.start({
        sip: { ...this.sipOptions(), admit },
        media: host,
        codecs: ['PCMU', 'PCMA'],
        onSipEvent: (legId, event) => evidence.message(legId, event),
      });
      return { engine, voice, sipPort: engine.port };
    } catch (error) {
      await host.close();
      await voice.close();
      throw error;
    }
  }

  /** Rooms and agents live in this thread: frames are few, and the WebRTC library has threads of its own. */
  private async startLiveKit(settings: ProviderSettings): Promise<StartedEngine> {
    const { env, log } = this;
    const voice = startVoiceThread(settings, log);
    try {
      const engine = await LiveKitEngine.start({
        access: { url: env.LIVEKIT_URL!, apiKey: env.LIVEKIT_API_KEY!, apiSecret: env.LIVEKIT_API_SECRET! },
        tasks: agentTasks({ speech: voice.speech, settings, log }),
        codecs: ['PCMU', 'PCMA'],
        checkAddress: this.checkAddress(),
        log: sipLogOf(log),
      });
      return { engine, voice, sipPort: undefined };
    } catch (error) {
      await voice.close();
      throw error;
    }
  }

  /** The SIP endpoint as the environment describes it. */
  private sipOptions(): UserAgentOptions {
    const { env } = this;
    const { SIP_TLS_PORT: port, SIP_TLS_CERT: certFile, SIP_TLS_KEY: keyFile, SIP_TLS_CA: caFile } = env;
    return {
      bind: env.SIP_BIND,
      port: env.SIP_PORT,
      publicAddress: env.SIP_PUBLIC_IP,
      tls: certFile !== undefined && keyFile !== undefined ? { port, certFile, keyFile, caFile } : undefined,
      dnsServers: env.SIP_DNS_SERVERS,
      failoverMs: env.SIP_FAILOVER_MS,
      userAgent: 'Trunkline',
      checkAddress: this.checkAddress(),
      log: sipLogOf(this.log),
    };
  }

  private checkAddress(): (address: string) => void {
    const inside = allowList(this.env.SIP_ALLOW_CIDRS);
    return (address) => assertAddressAllowed(address, inside);
  }

  /** The end of the SIP over TLS certificate is read at every scrape: files are renewed without a restart. */
  private watchCertificate(): void {
    const { SIP_TLS_CERT: file } = this.env;
    if (file === undefined) return;
    beforeScrape(async () => {
      const { validTo } = new X509Certificate(await readFile(file));
      metrics.sipCertificateExpires.set(Date.parse(validTo) / 1_000);
    });
  }
}
