import type { MessagePort } from 'node:worker_threads';
import type { Log } from '@app/common';
import {
  type AgentProviders,
  RemoteSpeechClient,
  openSpeech,
  type ProviderSettings,
  providersFor,
  type RealtimeServer,
  Speech,
  SpeechThread,
  systemClock,
  type ProviderChoice,
} from '@app/voice';
import { builtInVoice } from './built-in-voice.js';

/** The providers of one agent. `sandbox`: the server that plays it, where one of them is the sandbox. */
export interface OpenedProviders extends AgentProviders {
  sandbox: RealtimeServer | undefined;
}

/** The speech of a dialer and the providers of its agents. */
export interface AgentVoices {
  speech: Speech;
  /** Rejects with ProviderUnavailable when none of them can be used. The first sandbox agent starts the sandbox server. */
  openProviders(wanted: readonly ProviderChoice[]): Promise<OpenedProviders>;
  /** To be called when no call uses it any more. */
  close(): Promise<void>;
}

/** For threads beside this one. */
interface ThreadedVoice extends AgentVoices {
  /** A port to the speech thread. */
  connectSpeech: () => MessagePort;
}

/** The speech in its own thread, and the sandbox server in another one. */
export function startVoiceThread(settings: ProviderSettings, log: Log): ThreadedVoice {
  const thread = SpeechThread.start({
    builtInVoice: new URL('./built-in-voice.js', import.meta.url),
    onDeath: (err) => log.error({ err }, 'the speech thread died, the built-in voice speaks'),
  });
  const connectSpeech = (): MessagePort => thread.connect();
  const sandbox = new SandboxOnDemand(async () => {
    const { SandboxThread } = await import('./sandbox.js');
    return SandboxThread.start({
      connectSpeech,
      onDeath: (err) => log.error({ err }, 'the sandbox thread died, another one begins'),
    });
  }, log);
  const speech = new Speech(RemoteSpeechClient.connect(connectSpeech(), builtInVoice));
  return {
    speech,
    openProviders: (wanted) => openProviders(wanted, { speech, settings, sandbox }),
    connectSpeech,
    close: async () => {
      await sandbox.close();
      await thread.close();
    },
  };
}

/** Everything in this thread, for debugging. */
export async function startVoiceHere(settings: ProviderSettings, log: Log): Promise<AgentVoices> {
  const speech = await openSpeech(builtInVoice);
  const sandbox = new SandboxOnDemand(async () => {
    const { SandboxServer } = await import('./sandbox.js');
    const server = await SandboxServer.start({ speech });
    return { access: { url: server.url, key: server.key }, close: () => server.close() };
  }, log);
  return {
    speech,
    openProviders: (wanted) => openProviders(wanted, { speech, settings, sandbox }),
    close: () => sandbox.close(),
  };
}

async function openProviders(
  wanted: readonly ProviderChoice[],
  { speech, settings, sandbox: server }: { speech: Speech; settings: ProviderSettings; sandbox: SandboxOnDemand },
): Promise<OpenedProviders> {
  const sandbox = wanted.some(({ name }) => name === 'sandbox') ? await server.access() : undefined;
  const opened = await providersFor(wanted, { speech, clock: systemClock, settings: { ...settings, sandbox } });
  return { ...opened, sandbox };
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

  /** Undefined: it could not be started; the next call tries again. */
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
