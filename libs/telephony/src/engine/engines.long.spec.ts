import { closeAgents, FAST_TIMERS, startAgent } from '../../../../test/full/interop/loopback-agents.js';
import { EmulatedLiveKit } from '../../../../test/support/emulated-livekit.js';
import { type CalledPhone, describeEngine, type EngineUnderTest } from '../../../../test/support/engine-behaviour.js';
import { LiveKitEngine } from '../livekit/livekit-engine.js';
import type { RunAudioTask } from '../media-host/audio-task.js';
import { LocalMediaHost } from '../media-host/local-media-host.js';
import { openMediaSession } from '../media/session/media-session.js';
import type { MediaSession } from '../media/session/media-session.types.js';
import { buildAnswer, negotiate } from '../sdp.js';
import type { IncomingCall } from '../sip/user-agent/incoming-call.js';
import { EmbeddedEngine } from './embedded-engine.js';

const log = { debug: () => undefined, warn: () => undefined };

/** Posts every received key. */
const echoKeys: RunAudioTask = (media, _, channel) =>
  new Promise<void>((resolve) => {
    media.onDtmf((digit) => channel.post(digit));
    channel.over.addEventListener('abort', () => resolve());
  });
const tasks = { 'echo-keys': echoKeys };

class SipPhone implements CalledPhone {
  readonly gone: Promise<void>;

  constructor(
    private readonly call: IncomingCall,
    private readonly audio: MediaSession,
  ) {
    this.gone = new Promise((resolve) => {
      call.on('cancelled', resolve);
      call.on('ended', () => resolve());
    });
  }

  ring(): void {
    this.call.ring();
  }

  answer(): void {
    const local = { address: this.audio.localAddress, port: this.audio.localPort, codecs: ['PCMU' as const] };
    this.audio.start(negotiate({ codecs: ['PCMU'] }, this.call.offer!)!);
    this.call.answer(buildAnswer(this.call.offer!, local)!);
  }

  reject(status: number, reason: string): void {
    this.call.reject(status, reason);
  }

  hangup(): void {
    this.call.hangup();
  }

  press(digit: string): void {
    // The call may end before the last packets of the tone.
    this.audio.sendDtmf(digit).catch(() => undefined);
  }
}

async function startEmbedded(): Promise<EngineUnderTest> {
  const callee = await startAgent();
  const audio = await openMediaSession({ bindAddress: '127.0.0.1', ports: { min: 44_000, max: 44_098 } });
  const engine = await EmbeddedEngine.start({
    sip: { bind: '127.0.0.1', port: 0, userAgent: 'trunkline-test', log, timers: FAST_TIMERS },
    media: new LocalMediaHost({
      media: { bindAddress: '127.0.0.1', ports: { min: 44_100, max: 44_198 } },
      tasks,
      log,
    }),
    codecs: ['PCMU'],
  });
  return {
    engine,
    destination: { kind: 'sip', uri: `sip:callee@127.0.0.1:${callee.port};transport=udp` },
    onCall: (phone) => callee.onInvite((call) => phone(new SipPhone(call, audio))),
    stop: async () => {
      await engine.close();
      await audio.close();
      await closeAgents();
    },
  };
}

async function startLiveKit(): Promise<EngineUnderTest> {
  const livekit = await EmulatedLiveKit.start();
  const { access, join } = livekit;
  const engine = await LiveKitEngine.start({ access, join, tasks, codecs: ['PCMU', 'PCMA'], log, retryMs: [1] });
  return {
    engine,
    destination: { kind: 'sip', uri: 'sip:callee@sip.example.net' },
    onCall: (phone) => livekit.onCall(phone),
    stop: async () => {
      await engine.close();
      await livekit.close();
    },
  };
}

describeEngine('embedded', startEmbedded);
describeEngine('livekit (an emulated API)', startLiveKit);
