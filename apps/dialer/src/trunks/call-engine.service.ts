import { allowList, assertAddressAllowed, type Env, type Log } from '@app/common';
import { beforeScrape, metrics } from '@app/metrics';
import { ENV, LOG } from '@app/common/settings';
import { Admission, type CarrierEngine, EmbeddedEngine, LiveKitEngine, type UserAgentOptions } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { agentTasks } from '../agent/agent-task.js';
import { AgentVoicesService } from '../agent/agent-voices.service.js';
import { EvidenceWriterService } from './evidence-writer.service.js';
import { KnownTrunksService } from './known-trunks.service.js';
import { MediaService } from '../media/media.service.js';
import { sipLogOf } from './sip-log.js';

/** The call engine of the environment variable `ENGINE`, with the threads of its audio and the speech of its agents. */
@Injectable()
export class CallEngineService {
  private started?: CarrierEngine;
  private port?: number;

  constructor(
    private readonly knownTrunks: KnownTrunksService,
    private readonly evidence: EvidenceWriterService,
    private readonly voices: AgentVoicesService,
    private readonly media: MediaService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Opens the sockets and starts the threads. Inbound calls are refused until `engine.onIncoming`. */
  async start(): Promise<void> {
    this.watchCertificate();
    await this.voices.start();
    this.started = await (this.env.ENGINE === 'livekit' ? this.startLiveKit() : this.startEmbedded());
  }

  /**
   * Hangs up the remaining legs and closes sockets and threads, also after a failed start. The engine closes its media; agents need
   * their speech until then.
   */
  async close(): Promise<void> {
    await this.started?.close();
    await this.voices.close();
  }

  get engine(): CarrierEngine {
    if (!this.started) throw new Error('The call engine is not running.');
    return this.started;
  }

  /** The port of inbound SIP; undefined when another process speaks SIP. */
  get sipPort(): number | undefined {
    return this.port;
  }

  private async startEmbedded(): Promise<CarrierEngine> {
    const { env, evidence } = this;
    const log = sipLogOf(this.log);
    const { admit, callersAt } = new Admission({ callers: () => this.knownTrunks, algorithms: env.SIP_DIGEST, log });
    const onForeign: UserAgentOptions['onForeign'] = (kind) => metrics.sipForeignMessages.inc({ kind });
    const host = await this.media.startHost();
    try {
      const engine = await EmbeddedEngine.start({
        sip: { ...this.sipOptions(), admit, callersAt, onForeign },
        media: host,
        codecs: ['PCMU', 'PCMA'],
        onSipEvent: (legId, event) => evidence.message(legId, event),
      });
      this.port = engine.port;
      return engine;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  /** Rooms and agents live in this thread: frames are few, and the WebRTC library has its own threads. */
  private startLiveKit(): Promise<CarrierEngine> {
    const { env, log, voices } = this;
    return LiveKitEngine.start({
      access: { url: env.LIVEKIT_URL!, apiKey: env.LIVEKIT_API_KEY!, apiSecret: env.LIVEKIT_API_SECRET! },
      tasks: agentTasks({ speech: voices.speech, settings: voices.settings, hearing: voices.hearing(), log }),
      codecs: ['PCMU', 'PCMA'],
      checkAddress: this.checkAddress(),
      log: sipLogOf(log),
    });
  }

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

  /** Every scrape reads the expiry of the certificate for SIP over TLS: its file is renewed without a restart. */
  private watchCertificate(): void {
    const { SIP_TLS_CERT: file } = this.env;
    if (file === undefined) return;
    beforeScrape(async () => {
      const { validTo } = new X509Certificate(await readFile(file));
      metrics.sipCertificateExpires.set(Date.parse(validTo) / 1_000);
    });
  }
}
