import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CallRoom, RoomListener } from './room-audio.js';
import { openRtcRooms, RtcNodeMissing } from './rtc-room.js';

const log = { debug: () => undefined, warn: () => undefined };
const did: string[] = [];
const rooms: FakeRoom[] = [];
let refused = false;

/** The used part of `@livekit/rtc-node`; records its calls. */
class FakeRoom extends EventEmitter {
  localParticipant = {
    publishTrack: (track: { name: string }, { source }: { source: number }) =>
      Promise.resolve(did.push(`publish ${track.name} ${source}`)),
    publishDtmf: (code: number, digit: string) => Promise.resolve(did.push(`key ${code} ${digit}`)),
  };

  constructor() {
    super();
    rooms.push(this);
  }

  connect(url: string, token: string): Promise<void> {
    did.push(`connect ${url} ${token}`);
    return refused ? Promise.reject(new Error('refused')) : Promise.resolve();
  }

  disconnect(): Promise<void> {
    did.push('disconnect');
    this.emit('disconnected', 1);
    return Promise.resolve();
  }
}

class FakeSource {
  queuedDuration = 40;

  constructor(...settings: number[]) {
    did.push(`source ${settings.join(' ')}`);
  }

  captureFrame({ samples }: { samples: number }): Promise<void> {
    did.push(`capture ${samples}`);
    return Promise.resolve();
  }

  clearQueue(): void {
    did.push('clear');
  }

  close(): Promise<void> {
    did.push('close');
    return Promise.resolve();
  }
}

const rtcNode = {
  Room: FakeRoom,
  AudioSource: FakeSource,
  AudioFrame: class {
    constructor(
      readonly data: Int16Array,
      readonly rate: number,
      readonly channels: number,
      readonly samples: number,
    ) {}
  },
  AudioStream: class extends ReadableStream<{ data: Int16Array }> {
    constructor(_: object, { sampleRate, numChannels, frameSizeMs }: Record<string, number>) {
      did.push(`stream ${sampleRate} ${numChannels} ${frameSizeMs}`);
      super({
        start: (controller) => {
          controller.enqueue({ data: new Int16Array(160) });
          controller.close();
        },
      });
    }
  },
  LocalAudioTrack: { createAudioTrack: (name: string) => ({ name }) },
  TrackPublishOptions: class {
    readonly source: number;

    constructor({ source }: { source: number }) {
      this.source = source;
    }
  },
  TrackSource: { SOURCE_MICROPHONE: 2 },
  TrackKind: { KIND_AUDIO: 1 },
};

const events: unknown[] = [];
const listener: RoomListener = {
  onAudio: ({ length }) => events.push(['audio', length]),
  onDigit: (digit) => events.push(['digit', digit]),
  onCallStatus: (...args) => events.push(['status', ...args]),
  onLeft: (...args) => events.push(['left', ...args]),
  onLost: () => events.push(['lost']),
};

async function joined(): Promise<CallRoom> {
  const join = await openRtcRooms(log, () => Promise.resolve(rtcNode));
  return join({ url: 'wss://livekit.example', token: 'token' }, listener);
}

beforeEach(() => {
  did.length = 0;
  events.length = 0;
  refused = false;
});

describe('a room of @livekit/rtc-node', () => {
  it('is joined with a track at 8 kHz, and releases everything when left', async () => {
    const call = await joined();
    call.send(new Int16Array(160));
    await call.sendDigit(11, '#');
    call.clearQueue();
    expect(call.queuedMs).toBe(40);
    await call.leave();
    call.send(new Int16Array(160));
    const way = ['source 8000 1 200', 'connect wss://livekit.example token', 'publish agent 2'];
    expect(did).toEqual([...way, 'capture 160', 'key 11 #', 'clear', 'disconnect', 'close']);
    expect(events).toEqual([]);
  });

  it('reports its events', async () => {
    await joined();
    const room = rooms.at(-1)!;
    const callee = { identity: 'callee-1', attributes: { 'sip.callStatus': 'dialing' } };
    room.emit('participantConnected', callee);
    room.emit('participantAttributesChanged', { 'sip.callStatus': 'ringing' }, callee);
    room.emit('participantAttributesChanged', { other: 'x' }, callee);
    room.emit('dtmfReceived', 5, '5', callee);
    room.emit('trackSubscribed', { kind: 1 });
    room.emit('trackSubscribed', { kind: 2 });
    await new Promise((resolve) => setImmediate(resolve));
    room.emit('participantDisconnected', { ...callee, disconnectReason: 12 });
    room.emit('disconnected', 4);
    expect(did.filter((one) => one.startsWith('stream'))).toEqual(['stream 8000 1 20']);
    expect(events).toEqual([
      ['status', 'callee-1', 'dialing'],
      ['status', 'callee-1', 'ringing'],
      ['digit', '5'],
      ['audio', 160],
      ['left', 'callee-1', 12],
      ['lost'],
    ]);
  });

  it('releases all resources when it cannot be joined', async () => {
    refused = true;
    await expect(joined()).rejects.toThrow('refused');
    expect(did.slice(-2)).toEqual(['disconnect', 'close']);
  });

  it('names the package to install when it is missing', async () => {
    const missing = openRtcRooms(log, () => Promise.reject(new Error('not found')));
    await expect(missing).rejects.toThrow(RtcNodeMissing);
    await expect(missing).rejects.toThrow('npm install @livekit/rtc-node@1.1.0');
  });
});
