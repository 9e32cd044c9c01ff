import { availableParallelism } from 'node:os';
import type { Env, Log } from '@app/common';
import { LocalMediaHost, MediaPool, type MediaHost } from '@app/telephony';
import type { ProviderSettings } from '@app/voice';
import { agentTasks } from './agent-task.js';
import type { MediaWorkerData } from './media-worker.js';
import { startVoiceThread, startVoiceHere, type AgentVoices } from './agent-voices.js';
import { sipLogOf } from './sip-log.js';

interface StartedMedia {
  host: MediaHost;
  /** To be closed after the host. */
  voice: AgentVoices;
}

/** One carries some hundred calls; more threads than processors would only take turns. */
const MOST_THREADS = 4;

const defaultThreads = (): number => Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));

/** Where the audio of calls and their agents live: worker threads, or this thread when there shall be none. */
export function startMedia(env: Env, providers: ProviderSettings, log: Log): Promise<StartedMedia> {
  const threads = env.MEDIA_THREADS ?? defaultThreads();
  return threads === 0 ? startHere(env, providers, log) : startThreads(env, providers, log, threads);
}

const mediaOptions = (env: Env): MediaWorkerData['media'] => ({
  bindAddress: env.SIP_BIND,
  publicAddress: env.MEDIA_PUBLIC_IP ?? env.SIP_PUBLIC_IP,
  silenceLimitMs: env.MEDIA_SILENCE_SECONDS * 1_000,
});

async function startHere(env: Env, settings: ProviderSettings, log: Log): Promise<StartedMedia> {
  const voice = await startVoiceHere(settings, log);
  const media = { ...mediaOptions(env), ports: env.RTP_PORTS };
  const host = new LocalMediaHost({
    media,
    tasks: agentTasks({ speech: voice.speech, settings, log }),
    log: sipLogOf(log),
  });
  return { host, voice };
}

async function startThreads(env: Env, providers: ProviderSettings, log: Log, threads: number): Promise<StartedMedia> {
  const voice = startVoiceThread(providers, log);
  const data = () => {
    const speechPort = voice.connectSpeech();
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
  return { host, voice };
}
