import type { MessagePort } from 'node:worker_threads';
import type { Log } from '@app/common';
import {
  RemoteSpeechClient,
  openSpeech,
  type ProviderSettings,
  SandboxServer,
  SandboxThread,
  Speech,
  SpeechThread,
} from '@app/voice';

/** What agents speak with, and whom they speak through. */
export interface OpenVoice {
  speech: Speech;
  /** With the sandbox server that was opened. */
  providers: ProviderSettings;
  /** After those who use it are closed. */
  close: () => Promise<void>;
}

/** For threads beside this one. */
export interface ThreadedVoice extends OpenVoice {
  /** A port to the speech thread. */
  connectSpeech: () => MessagePort;
}

/** Speech and sandbox server in threads of their own. */
export async function openThreadedVoice(settings: ProviderSettings, log: Log): Promise<ThreadedVoice> {
  const thread = SpeechThread.start((err) => log.error({ err }, 'the speech thread died, the built-in voice speaks'));
  const connectSpeech = (): MessagePort => thread.connect();
  const sandbox = await SandboxThread.start({
    connectSpeech,
    onDeath: (err) => log.error({ err }, 'the sandbox thread died, another one begins'),
  });
  return {
    speech: new Speech(RemoteSpeechClient.connect(connectSpeech())),
    providers: { ...settings, sandbox: sandbox.access },
    connectSpeech,
    close: async () => {
      await sandbox.close();
      await thread.close();
    },
  };
}

/** Everything in this thread, for debugging. */
export async function openVoiceHere(settings: ProviderSettings): Promise<OpenVoice> {
  const speech = await openSpeech();
  const sandbox = await SandboxServer.start({ speech });
  const { url, key } = sandbox;
  return { speech, providers: { ...settings, sandbox: { url, key } }, close: () => sandbox.close() };
}
