import { availableParallelism } from 'node:os';
import type { Env, Log } from '@app/common';
import { LocalMediaHost, MediaPool, type MediaHost } from '@app/telephony';
import { DistantClips, openSpeech, type ProviderSettings, Speech, SpeechThread } from '@app/voice';
import { agentPartsOf, agentTasks } from './agent-task.js';
import type { MediaWorkerData } from './media-worker.js';
import { sipLogOf } from './sip-log.js';

export interface OpenMedia {
  host: MediaHost;
  speech: Speech;
  /** After the host is closed. */
  closeSpeech: () => Promise<void>;
}

/** One carries some hundred calls; more threads than processors would only take turns. */
const MOST_THREADS = 4;

const defaultThreads = (): number => Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));

/** Where the audio of calls and their agents live: worker threads, or this thread when there shall be none. */
export function openMedia(env: Env, providers: ProviderSettings, log: Log): Promise<OpenMedia> {
  const threads = env.MEDIA_THREADS ?? defaultThreads();
  return threads === 0 ? openHere(env, providers, log) : openThreads(env, providers, log, threads);
}

const mediaOptions = (env: Env): MediaWorkerData['media'] => ({
  bindAddress: env.SIP_BIND,
  publicAddress: env.MEDIA_PUBLIC_IP ?? env.SIP_PUBLIC_IP,
});

async function openHere(env: Env, providers: ProviderSettings, log: Log): Promise<OpenMedia> {
  const speech = await openSpeech();
  const media = { ...mediaOptions(env), ports: env.RTP_PORTS };
  const host = new LocalMediaHost({
    media,
    tasks: agentTasks(agentPartsOf(speech, providers, log)),
    log: sipLogOf(log),
  });
  return { host, speech, closeSpeech: () => Promise.resolve() };
}

async function openThreads(env: Env, providers: ProviderSettings, log: Log, threads: number): Promise<OpenMedia> {
  const { speech, connect, closeSpeech } = openSpeechThread(log);
  const data = () => {
    const speechPort = connect();
    const workerData: MediaWorkerData = { media: mediaOptions(env), logLevel: env.LOG_LEVEL, providers, speechPort };
    return { workerData, transferList: [speechPort] };
  };
  const entry = new URL('./media-worker.js', import.meta.url);
  const host = await MediaPool.start({
    threads,
    source: { entry, data },
    ports: env.RTP_PORTS,
    log: sipLogOf(log),
  });
  return { host, speech, closeSpeech };
}

/** Speech made in a thread of its own; `connect` gives further threads a port to it. */
export function openSpeechThread(log: Log): Omit<OpenMedia, 'host'> & { connect: SpeechThread['connect'] } {
  const thread = new SpeechThread((err) => log.error({ err }, 'the speech thread died, the built-in voice speaks'));
  return {
    speech: new Speech(new DistantClips(thread.connect())),
    connect: () => thread.connect(),
    closeSpeech: () => thread.close(),
  };
}
