import type { SipLog } from '../sip/user-agent/sip-log.js';
import { withTimeout } from '../timing.js';
import type { CallRoom, JoinRoom, RoomListener } from './room-audio.js';

/** The part of `@livekit/rtc-node` 1.1 that is used here. It is an optional peer: its native library is 34 MB. */
interface RtcNode {
  Room: new () => RtcRoom;
  AudioSource: new (sampleRate: number, channels: number, queueMs: number) => RtcSource;
  AudioFrame: new (data: Int16Array, sampleRate: number, channels: number, samplesPerChannel: number) => RtcFrame;
  AudioStream: new (track: RtcTrack, options: StreamOptions) => ReadableStream<RtcFrame>;
  LocalAudioTrack: { createAudioTrack(name: string, source: RtcSource): RtcTrack };
  TrackPublishOptions: new (options: { source: number }) => object;
  TrackSource: { SOURCE_MICROPHONE: number };
  TrackKind: { KIND_AUDIO: number };
}

interface StreamOptions {
  sampleRate: number;
  numChannels: number;
  frameSizeMs: number;
}

interface RtcFrame {
  data: Int16Array;
}

interface RtcTrack {
  readonly kind?: number;
}

interface RtcSource {
  readonly queuedDuration: number;
  captureFrame(frame: RtcFrame): Promise<void>;
  clearQueue(): void;
  close(): Promise<void>;
}

interface RtcParticipant {
  readonly identity: string;
  readonly attributes: Record<string, string>;
  readonly disconnectReason?: number;
}

interface RtcEvents {
  participantConnected: [participant: RtcParticipant];
  participantAttributesChanged: [changed: Record<string, string>, participant: RtcParticipant];
  participantDisconnected: [participant: RtcParticipant];
  trackSubscribed: [track: RtcTrack];
  dtmfReceived: [code: number, digit: string];
  disconnected: [reason: number];
}

interface RtcRoom {
  readonly localParticipant?: {
    publishTrack(track: RtcTrack, options: object): Promise<unknown>;
    publishDtmf(code: number, digit: string): Promise<void>;
  };
  connect(url: string, token: string, options: { autoSubscribe: boolean; dynacast: boolean }): Promise<void>;
  disconnect(): Promise<void>;
  on<K extends keyof RtcEvents>(event: K, listener: (...args: RtcEvents[K]) => void): unknown;
}

const PACKAGE = '@livekit/rtc-node';
const RATE = 8_000;
const QUEUE_MS = 200;
const JOIN_MS = 15_000;
const CALL_STATUS = 'sip.callStatus';

export class RtcNodeMissing extends Error {
  constructor(cause: unknown) {
    super(
      `ENGINE=livekit needs the package ${PACKAGE}, which is not part of the installation: npm install ${PACKAGE}@1.1.0`,
      {
        cause,
      },
    );
    this.name = 'RtcNodeMissing';
  }
}

class JoinTimeout extends Error {
  override readonly name = 'JoinTimeout';

  constructor() {
    super('The LiveKit room could not be joined in time.');
  }
}

/** Rooms by LiveKit's own WebRTC library. That library resamples audio to 8 kHz. @throws RtcNodeMissing */
export async function openRtcRooms(log: SipLog, load = (): Promise<unknown> => import(PACKAGE)): Promise<JoinRoom> {
  const rtc = (await load().catch((error: unknown) => {
    throw new RtcNodeMissing(error);
  })) as RtcNode;
  return async (access, listener) => {
    const room = new RtcCallRoom(rtc, listener, log);
    try {
      await withTimeout(room.enter(access.url, access.token), JOIN_MS, () => new JoinTimeout());
    } catch (error) {
      await room.leave();
      throw error;
    }
    return room;
  };
}

class RtcCallRoom implements CallRoom {
  private readonly room: RtcRoom;
  private readonly source: RtcSource;
  private left = false;

  constructor(
    private readonly rtc: RtcNode,
    private readonly listener: RoomListener,
    private readonly log: SipLog,
  ) {
    this.room = new rtc.Room();
    this.source = new rtc.AudioSource(RATE, 1, QUEUE_MS);
    this.listen();
  }

  async enter(url: string, token: string): Promise<void> {
    const { LocalAudioTrack, TrackPublishOptions, TrackSource } = this.rtc;
    await this.room.connect(url, token, { autoSubscribe: true, dynacast: false });
    const track = LocalAudioTrack.createAudioTrack('agent', this.source);
    await this.room.localParticipant!.publishTrack(
      track,
      new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE }),
    );
  }

  get queuedMs(): number {
    return this.source.queuedDuration;
  }

  send(samples: Int16Array): void {
    if (this.left) return;
    const frame = new this.rtc.AudioFrame(samples, RATE, 1, samples.length);
    this.source.captureFrame(frame).catch((error: Error) => {
      if (!this.left) this.log.debug('LiveKit rejected an audio frame', { error: error.message });
    });
  }

  clearQueue(): void {
    if (!this.left) this.source.clearQueue();
  }

  async sendDigit(code: number, digit: string): Promise<void> {
    await this.room.localParticipant?.publishDtmf(code, digit);
  }

  async leave(): Promise<void> {
    if (this.left) return;
    this.left = true;
    try {
      await this.room.disconnect();
      await this.source.close();
    } catch (error) {
      this.log.warn('a LiveKit room could not be left', { error: (error as Error).message });
    }
  }

  private listen(): void {
    const { room, listener } = this;
    const reportStatus = ({ [CALL_STATUS]: status }: Record<string, string>, { identity }: RtcParticipant): void => {
      if (status !== undefined) listener.onCallStatus(identity, status);
    };
    room.on('participantConnected', (participant) => reportStatus(participant.attributes, participant));
    room.on('participantAttributesChanged', reportStatus);
    room.on('participantDisconnected', ({ identity, disconnectReason }) => listener.onLeft(identity, disconnectReason));
    room.on('dtmfReceived', (_, digit) => listener.onDigit(digit));
    room.on('trackSubscribed', (track) => void this.readTrack(track));
    room.on('disconnected', () => {
      if (!this.left) listener.onLost();
    });
  }

  /** Until the track ends. */
  private async readTrack(track: RtcTrack): Promise<void> {
    if (track.kind !== this.rtc.TrackKind.KIND_AUDIO) return;
    const frames = new this.rtc.AudioStream(track, { sampleRate: RATE, numChannels: 1, frameSizeMs: 20 });
    try {
      for await (const { data } of frames) this.listener.onAudio(data);
    } catch (error) {
      this.log.warn('audio of a LiveKit room ended with an error', { error: (error as Error).message });
    }
  }
}
