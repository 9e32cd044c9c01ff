import { describe, expect, it } from '@jest/globals';
import { useRtpSessions, remoteAt } from '../../../test/rtp-sessions.js';
import { voice } from '../../../test/rtp-peer.js';
import { decode, encode, silentFrame } from '../codecs/g711.js';
import { pcmBytes } from '../codecs/wire-codec.js';
import { tone } from '../signals/tones.js';
import { AddedVoice } from './added-voice.js';
import { StereoTap, type TappedFrame } from './stereo-tap.js';

const { open, openPeer } = useRtpSessions({ min: 31_600, max: 31_699 });

const left = ({ recorded }: TappedFrame): number[] => [...recorded].filter((_, i) => i % 2 === 0);
const right = ({ recorded }: TappedFrame): number[] => [...recorded].filter((_, i) => i % 2 === 1);
const samples = (fill: number): number[] => [...decode('PCMU', voice(fill))];
const SILENCE = [...decode('PCMU', silentFrame('PCMU'))];
const ZEROS = SILENCE.map(() => 0);

/** A tap, and the frames that it has passed on. */
function tapped(): { tap: StereoTap; frames: TappedFrame[] } {
  const frames: TappedFrame[] = [];
  return { tap: new StereoTap('PCMU', (frame) => frames.push(frame)), frames };
}

describe('a tap of a call', () => {
  it('has the user on the left and the agent on the right, with every frame of the user in order', () => {
    const { tap, frames } = tapped();
    for (const fill of [1, 2]) tap.heard(voice(fill));
    for (const fill of [11, 12, 13]) {
      tap.tick(false, false, voice(fill));
      tap.heard(voice(fill - 8));
    }
    expect(frames.map(left)).toEqual([1, 2, 3].map(samples));
    expect(frames.map(right)).toEqual([11, 12, 13].map(samples));
    expect(frames[0]).toMatchObject({ rate: 8_000 });
  });

  it('is silent on both sides in a pause of the recording, and for the time in which audio of the pause may still arrive', () => {
    const { tap, frames } = tapped();
    const speak = (isPaused: boolean): void => {
      tap.heard(voice(5));
      tap.tick(false, isPaused, voice(6));
    };
    tap.heard(voice(5));
    for (const isPaused of [false, true, false]) speak(isPaused);
    expect(frames.map(left)).toEqual([samples(5), ZEROS, ZEROS]);
    expect(frames.map(right)).toEqual([samples(6), ZEROS, samples(6)]);
    for (let i = 0; i < 9; i++) speak(false);
    expect(left(frames.at(-2)!)).toEqual(ZEROS);
    expect(left(frames.at(-1)!)).toEqual(samples(5));
    expect([...frames[1]!.hidden!].slice(0, 2)).toEqual([samples(5)[0], samples(6)[0]]);
    expect(frames.at(-1)).not.toHaveProperty('hidden');
  });

  it('drops the oldest audio of a user whose clock is faster, so that no delay builds up', () => {
    const { tap, frames } = tapped();
    for (let fill = 1; fill <= 50; fill++) tap.heard(voice(fill));
    for (let i = 0; i < 7; i++) tap.tick(false, false);
    expect(frames.slice(0, 6).map(left)).toEqual([45, 46, 47, 48, 49, 50].map(samples));
    expect(left(frames[6]!)).toEqual(ZEROS);
  });

  it('has what a session receives and sends, also without a recording', async () => {
    const [session, peer] = [await open(), await openPeer()];
    session.start(remoteAt(peer));
    const heard = new Promise<TappedFrame>((resolve) => {
      session.tap((frame) => {
        if (frame.recorded[0] === samples(9)[0] && frame.recorded[1] === samples(4)[0]) resolve(frame);
      });
    });
    let sequence = 0;
    session.onFrame(() => {
      session.write(voice(4));
      peer.send(session.localPort, { sequence: ++sequence, payload: voice(9) });
    });
    const frame = await heard;
    expect(left(frame)).toEqual(samples(9));
    expect(right(frame)).toEqual(samples(4));
  });

  it('does not pass on keys that are hidden', async () => {
    const [session, peer] = [await open(), await openPeer()];
    session.start(remoteAt(peer));
    session.pauseRecording(true, 'keys');
    const frames: TappedFrame[] = [];
    const enough = new Promise<void>((resolve) => session.tap((frame) => frames.push(frame) === 10 && resolve()));
    let sequence = 0;
    session.onFrame(() => peer.send(session.localPort, { sequence: ++sequence, payload: voice(9) }));
    await enough;
    expect(frames.every(({ recorded }) => recorded.every((sample) => sample === 0))).toBe(true);
  });
});

describe('an added voice', () => {
  const spoken = tone([500], 200).subarray(0, 3 * 160);

  /** `tone` is at 8 kHz; every sample twice is enough for a level. */
  const wide = (frame: Int16Array): Buffer => pcmBytes(Int16Array.from({ length: 320 }, (_, i) => frame[i >> 1]!));

  it('is heard over the audio of the leg', () => {
    const added = new AddedVoice();
    for (let at = 0; at < spoken.length; at += 160) added.speak(wide(spoken.subarray(at, at + 160)));
    const mixed = new Int16Array(320).fill(1_000);
    added.mix(mixed);
    expect(Math.max(...mixed)).toBeGreaterThan(3_000);
  });

  it('begins with three frames, because they arrive in bursts', () => {
    const added = new AddedVoice();
    const mixed = new Int16Array(160);
    added.speak(wide(spoken.subarray(0, 160)));
    added.mix(mixed);
    expect(mixed.every((sample) => sample === 0)).toBe(true);
  });

  it('is sent to the party of a leg that is bridged', async () => {
    const [session, peer] = [await open(), await openPeer()];
    session.start(remoteAt(peer));
    const voices = session.addVoice();
    const silence = encode('PCMU', new Int16Array(160));
    const heard = peer.until((packets) => packets.some(({ payload }) => Math.max(...decode('PCMU', payload)) > 3_000));
    session.onFrame(() => {
      session.writePayload(silence, 'PCMU');
      voices.speak(wide(spoken.subarray(0, 160)));
    });
    await heard;
    voices.remove();
    const after = peer.packets.length;
    await peer.until((packets) => packets.length > after + 10);
    expect(peer.packets.slice(after + 5).every(({ payload }) => Math.max(...decode('PCMU', payload)) < 100)).toBe(true);
  });
});
