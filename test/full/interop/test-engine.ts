import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  EmbeddedEngine,
  LocalMediaHost,
  type CallLeg,
  type DialRequest,
  type EmbeddedEngineOptions,
  type LegEnd,
  type LocalMediaOptions,
  type MediaPort,
  type RunAudioTask,
  type TransportName,
} from '@app/telephony';

const QUIET = { debug: () => undefined, warn: () => undefined };
const handedOver = new Map<string, MediaPort>();
const handOver: RunAudioTask = (media, id) => {
  handedOver.set(id as string, media);
  return Promise.resolve();
};

/** The audio of a leg whose engine has `testMedia`. */
export function mediaOf(leg: CallLeg): MediaPort {
  leg.attach('hand-over', leg.id);
  return handedOver.get(leg.id)!;
}

/** Audio in this thread, for `mediaOf`. */
export const testMedia = (options: Partial<LocalMediaOptions['media']> = {}): LocalMediaHost =>
  new LocalMediaHost({
    media: { bindAddress: '127.0.0.1', ports: { min: 42_000, max: 42_998 }, ...options },
    tasks: { 'hand-over': handOver },
    log: QUIET,
  });

/** A range with one RTP port, which stays taken until it is released. */
export async function takeRtpPort(): Promise<{ ports: { min: number; max: number }; release: () => Promise<void> }> {
  const socket = createSocket('udp4');
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  const { port } = socket.address();
  if (port % 2 === 1) {
    // RTP uses even ports only.
    socket.close();
    return takeRtpPort();
  }
  const release = async (): Promise<void> => {
    socket.close();
    await once(socket, 'close');
  };
  return { ports: { min: port, max: port + 1 }, release };
}

/** An engine on loopback with its own ports. */
export function startTestEngine(options: Partial<EmbeddedEngineOptions> = {}): Promise<EmbeddedEngine> {
  return EmbeddedEngine.start({
    sip: { bind: '127.0.0.1', port: 0, userAgent: 'trunkline-interop', log: QUIET },
    media: testMedia(),
    codecs: ['PCMU', 'PCMA'],
    ...options,
  });
}

/** A leg to `port` on loopback, with the names of the events it had until its end. */
export function dialTo(
  engine: EmbeddedEngine,
  port: number,
  transport: TransportName,
  request: Partial<DialRequest> = {},
): { leg: CallLeg; events: string[]; ended: Promise<LegEnd> } {
  const leg = engine.dial({
    legId: 'interop',
    destination: { kind: 'sip', uri: `sip:callee@127.0.0.1:${port};transport=${transport}` },
    from: { number: '+15550001111' },
    ringTimeoutMs: 10_000,
    ...request,
  });
  const events: string[] = [];
  for (const name of ['trying', 'ringing', 'early', 'answered'] as const) leg.on(name, () => events.push(name));
  const ended = new Promise<LegEnd>((resolve) => leg.on('ended', resolve));
  return { leg, events, ended };
}

/** Resolves when the leg has that event; rejects when it ends before. */
export async function eventOf(leg: CallLeg, event: 'ringing' | 'answered'): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    leg.on(event, () => resolve());
    leg.on('ended', (end) => reject(new Error(`the leg ended before it was ${event}: ${JSON.stringify(end)}`)));
  });
}
