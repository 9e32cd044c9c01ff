import type { Env, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import {
  type AgentProviders,
  HearingClient,
  HearingThread,
  needsSandbox,
  openSpeech,
  type ProviderChoice,
  type ProviderSettings,
  providerSettings,
  providersFor,
  type RealtimeServer,
  RemoteSpeechClient,
  type SessionSettings,
  Speech,
  SpeechThread,
  systemClock,
} from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { builtInVoice } from '../media/built-in-voice.js';

/** A thread carries some hundred calls; more threads than processors bring nothing. */
const MAX_THREADS = 4;

/** The number of threads for the audio of calls; 0: audio, agents and speech run in the main thread, for debugging. */
export const mediaThreads = ({ MEDIA_THREADS }: Env): number =>
  MEDIA_THREADS ?? Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));

/** The providers of one agent. `sandbox`: the server that plays the agent, when one of its providers is the sandbox. */
export interface OpenedProviders extends AgentProviders {
  sandbox: RealtimeServer | undefined;
}

/** The speech of the dialer and the providers of its agents. Speech and the sandbox server have a thread each, beside the media threads. */
@Injectable()
export class AgentVoicesService {
  readonly settings: ProviderSettings;
  private readonly sandbox: SandboxOnDemand;
  private thread?: SpeechThread;
  private opened?: Speech;
  private readonly hearingThread: HearingThread;

  constructor(
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.settings = providerSettings(env);
    this.hearingThread = new HearingThread((err) => log.error({ err }, 'the hearing thread died'));
    this.sandbox = new SandboxOnDemand(() => (this.thread ? this.startSandboxThread() : this.startSandboxHere()), log);
  }

  async start(): Promise<void> {
    // LiveKit's media do not use the media threads of this dialer.
    const inThisThread = this.env.ENGINE === 'embedded' && mediaThreads(this.env) === 0;
    this.opened = inThisThread ? await openSpeech(builtInVoice) : this.startThread();
  }

  /** To be called after the last call and the media threads have ended. */
  async close(): Promise<void> {
    await this.sandbox.close();
    await this.thread?.close();
    await this.hearingThread.close();
  }

  /** Starts the hearing thread for an agent that needs it; it loads its models with the first call. */
  startHearing({ voiceActivity, noiseSuppression }: NonNullable<SessionSettings['hearing']>): void {
    if (voiceActivity === 'neural' || noiseSuppression) this.hearingThread.start();
  }

  /** A port to the hearing thread, for another thread. */
  connectHearing(): MessagePort {
    return this.hearingThread.connect();
  }

  /** The same for this thread. */
  hearing(): HearingClient {
    return HearingClient.connect(this.connectHearing(), this.log);
  }

  get speech(): Speech {
    if (!this.opened) throw new Error('The speech of the dialer is not started.');
    return this.opened;
  }

  /** A port to the speech thread, for another thread. */
  connectSpeech(): MessagePort {
    if (!this.thread) throw new Error('The speech thread is not running.');
    return this.thread.connect();
  }

  /** Rejects with ProviderUnavailable when none of them can be used. The first sandbox agent starts the sandbox server. */
  async openProviders(wanted: readonly ProviderChoice[]): Promise<OpenedProviders> {
    const sandbox = needsSandbox(wanted, this.settings) ? await this.sandbox.access() : undefined;
    const settings = { ...this.settings, sandbox };
    return { ...(await providersFor(wanted, { speech: this.speech, clock: systemClock, settings })), sandbox };
  }

  private startThread(): Speech {
    this.thread = SpeechThread.start({
      builtInVoice: new URL('../media/built-in-voice.js', import.meta.url),
      onDeath: (err) => this.log.error({ err }, 'the speech thread died, the built-in voice speaks'),
    });
    return new Speech(RemoteSpeechClient.connect(this.thread.connect(), builtInVoice));
  }

  private async startSandboxThread(): Promise<RunningSandbox> {
    const { SandboxThread } = await import('../media/sandbox.js');
    return SandboxThread.start({
      connectSpeech: () => this.connectSpeech(),
      onDeath: (err) => this.log.error({ err }, 'the sandbox thread died, another one begins'),
    });
  }

  private async startSandboxHere(): Promise<RunningSandbox> {
    const { SandboxServer } = await import('../media/sandbox.js');
    const server = await SandboxServer.start({ speech: this.speech });
    return { access: { url: server.url, key: server.key }, close: () => server.close() };
  }
}

interface RunningSandbox {
  access: RealtimeServer;
  close(): Promise<void>;
}

/** The sandbox server of this process; a dialer without sandbox agents neither starts nor loads it. */
class SandboxOnDemand {
  private starting: Promise<RunningSandbox> | undefined;

  constructor(
    private readonly start: () => Promise<RunningSandbox>,
    private readonly log: Log,
  ) {}

  /** Undefined: the start failed; the next call tries again. */
  async access(): Promise<RealtimeServer | undefined> {
    try {
      this.starting ??= this.start();
      return (await this.starting).access;
    } catch (err) {
      this.log.error({ err }, 'the sandbox server could not be started');
      this.starting = undefined;
      return undefined;
    }
  }

  async close(): Promise<void> {
    const running = await this.starting?.catch(() => undefined);
    await running?.close();
  }
}
