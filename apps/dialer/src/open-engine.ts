import { allowList, assertAddressAllowed, type Env, type Log } from '@app/common';
import { type Admit, type CarrierEngine, EmbeddedEngine, LiveKitEngine } from '@app/telephony';
import type { ProviderSettings } from '@app/voice';
import { agentTasks } from './agent-task.js';
import type { EvidenceWriter } from './evidence-writer.js';
import { openMedia } from './open-media.js';
import { openThreadedVoice, type OpenVoice } from './open-voice.js';
import { sipLogOf } from './sip-log.js';
import { sipOptions } from './sip-options.js';

export interface OpenEngine {
  engine: CarrierEngine;
  voice: OpenVoice;
  /** Where calls come in; none when SIP is spoken elsewhere. */
  sipPort: number | undefined;
  close(): Promise<void>;
}

export interface EngineParts {
  evidence: EvidenceWriter;
  admit: Admit;
  providers: ProviderSettings;
}

/** The engine that the environment names, with the speech of its agents. */
export function openEngine(env: Env, log: Log, parts: EngineParts): Promise<OpenEngine> {
  return env.ENGINE === 'livekit' ? openLiveKit(env, log, parts) : openEmbedded(env, log, parts);
}

async function openEmbedded(env: Env, log: Log, { evidence, admit, providers }: EngineParts): Promise<OpenEngine> {
  const { host, voice } = await openMedia(env, providers, log);
  const engine = await EmbeddedEngine.start({
    sip: { ...sipOptions(env, sipLogOf(log)), admit },
    media: host,
    codecs: ['PCMU', 'PCMA'],
    onSipEvent: (legId, event) => evidence.message(legId, event),
  });
  return { engine, voice, sipPort: engine.port, close: () => engine.close().then(() => voice.close()) };
}

/** Rooms and agents live in this thread: frames are few, and the WebRTC library has threads of its own. */
async function openLiveKit(env: Env, log: Log, { providers }: EngineParts): Promise<OpenEngine> {
  const voice = openThreadedVoice(providers, log);
  const inside = allowList(env.SIP_ALLOW_CIDRS);
  const engine = await LiveKitEngine.start({
    access: { url: env.LIVEKIT_URL!, apiKey: env.LIVEKIT_API_KEY!, apiSecret: env.LIVEKIT_API_SECRET! },
    tasks: agentTasks({ speech: voice.speech, settings: providers, log }),
    codecs: ['PCMU', 'PCMA'],
    checkAddress: (address) => assertAddressAllowed(address, inside),
    log: sipLogOf(log),
  });
  return { engine, voice, sipPort: undefined, close: () => engine.close().then(() => voice.close()) };
}
