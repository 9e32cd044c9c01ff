import { beep, encode, type G711, type MediaPort } from '@app/telephony';
import { FormantVoice } from '../formant/formant-voice.js';
import type { MachineKind } from './extension.js';
import { type AnsweredCall, BREATH_MS, clip, goOn, MAX_MESSAGE_MS, say, talk } from './conversations.js';

const SENTENCES = {
  screens: 'Hi, if you record your name and reason for calling, I will see if this person is available.',
  holds: 'Thanks. Please stay on the line.',
  menu: 'Thank you for calling. For sales, press one. For support, press two.',
} as const;

/** The service calls the person for this long. */
const FETCHING_MS = 2_500;
/** Of the message, before the person picks up. */
const HEARD_BEFORE_PICK_UP_MS = 1_500;
const MESSAGE_STOPS_MS = 1_500;
const MAX_MENUS = 3;
const CHORDS = [
  [262, 330, 392],
  [294, 349, 440],
  [196, 247, 294],
];

export function playMachine(kind: MachineKind, call: AnsweredCall, beepAfterMs: number): Promise<void> {
  if (kind === 'screening') return screening(call);
  if (kind === 'ivr') return menu(call);
  return kind === 'late_beep' ? lateBeep(call, beepAfterMs) : pickUp(call);
}

/** Asks who is calling, and then the person takes the call. */
async function screening(call: AnsweredCall): Promise<void> {
  await speak(call, 'screens');
  await call.listener.utterance(call.patience.turnMs);
  await call.listener.quiet(1_000, MAX_MESSAGE_MS);
  await speak(call, 'holds');
  await call.listener.pause(FETCHING_MS);
  await call.listener.utterance(0);
  await talk(call, true);
}

/** Repeats its menu until a key is pressed; then a person answers. */
async function menu(call: AnsweredCall): Promise<void> {
  const pressed: string[] = [];
  call.media.onDtmf((digit) => pressed.push(digit));
  for (let menus = 0; menus < MAX_MENUS && pressed.length === 0; menus++) {
    await speak(call, 'menu');
    await call.listener.pause(call.patience.mailboxMs);
  }
  if (pressed.length > 0) await talk(call, true);
}

async function lateBeep(call: AnsweredCall, beepAfterMs: number): Promise<void> {
  await say(call, 'mailbox');
  await call.listener.pause(beepAfterMs);
  await record(call);
  await call.listener.quiet(call.patience.mailboxMs, MAX_MESSAGE_MS);
}

/** A person listens to the message and picks up. */
async function pickUp(call: AnsweredCall): Promise<void> {
  await say(call, 'mailbox');
  await record(call);
  await call.listener.spoken(HEARD_BEFORE_PICK_UP_MS);
  await say(call, 'hello');
  // The message stops in the middle of a sentence; a person waits for what follows.
  await call.listener.utterance(MESSAGE_STOPS_MS);
  await goOn(call);
}

async function record(call: AnsweredCall): Promise<void> {
  call.media.write(encode(call.media.codec, beep()));
  await call.media.drained(0);
  call.beeped();
}

async function speak(call: AnsweredCall, name: keyof typeof SENTENCES): Promise<void> {
  const sound = await new FormantVoice().speak(SENTENCES[name]);
  await call.listener.pause(BREATH_MS);
  await play(call.media, sound);
  call.said(name);
}

/** Audio before the answer: a mailbox that never answers, or music. */
export async function playEarly(kind: 'early_voicemail' | 'early_music', media: MediaPort): Promise<void> {
  if (kind === 'early_music') return play(media, music());
  media.write(clip('mailbox', media.codec));
  await play(media, beep());
}

async function play(media: MediaPort, sound: Int16Array): Promise<void> {
  media.write(wholeFrames(encode(media.codec, sound), media.codec));
  await media.drained(0);
}

const FRAME_BYTES = 160;

function wholeFrames(audio: Buffer, codec: G711): Buffer {
  const missing = (FRAME_BYTES - (audio.length % FRAME_BYTES)) % FRAME_BYTES;
  return Buffer.concat([audio, Buffer.from(encode(codec, new Int16Array(missing)))]);
}

/** Decaying chords, as ringback music has them: 4 s. */
function music(): Int16Array {
  const [halfSecond, peak] = [4_000, 2_500];
  return Int16Array.from({ length: 8 * halfSecond }, (_, i) => {
    const notes = CHORDS[Math.floor(i / halfSecond) % CHORDS.length] as number[];
    const sum = notes.reduce((total, hz) => total + Math.sin((2 * Math.PI * hz * i) / 8_000), 0);
    return Math.round(sum * peak * Math.exp(-(i % halfSecond) / 3_000));
  });
}
