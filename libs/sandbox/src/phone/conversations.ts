import { beep, encode, type MediaPort } from '@app/telephony';
import type { Behaviour } from './extension.js';
import { clip, type Clip } from './phone-clips.js';
import type { VadListener } from './vad-listener.js';

/** An answered call, as the conversations use it. All waits reject with MediaClosed when the call ends. */
interface AnsweredCall {
  media: MediaPort;
  listener: VadListener;
  patience: Patience;
  /** Notes a clip or a key in the call's record. */
  said(what: string): void;
  /** Notes that the mailbox has beeped. */
  beeped(): void;
}

/** How long the phone waits, in milliseconds. */
export interface Patience {
  /** For the caller's greeting, before the phone speaks. */
  greetingMs: number;
  /** For the caller's next sentence. */
  turnMs: number;
  /** The mailbox hangs up when the caller has been quiet for this long. */
  mailboxMs: number;
  /** For the caller to hang up when everything has been said. */
  goodbyeMs: number;
}

export const PATIENCE: Patience = { greetingMs: 5_000, turnMs: 20_000, mailboxMs: 5_000, goodbyeMs: 60_000 };

const BREATH_MS = 200;
/** The caller may pause for less than this within an answer. */
const LISTENING_MS = 3_000;
const LONGEST_MESSAGE_MS = 120_000;
/** Calls that only carry audio may be long: load tests use them. */
const LINE_TEST_MS = 600_000;
/** More than this in the queue is delay, not jitter. */
const MAX_ECHO_MS = 200;

/** Holds the conversation of an answered call; afterwards the phone hangs up. */
export function converse(behaviour: Behaviour, call: AnsweredCall): Promise<void> {
  switch (behaviour.kind) {
    case 'answer':
      return talk(call, behaviour.speaksFirst);
    case 'voicemail':
      return voicemail(call);
    case 'dtmf_menu':
      return dtmfMenu(call);
    case 'press':
      return pressAndTalk(call, behaviour.inputs);
    case 'hangup':
      return call.listener.pause(behaviour.afterMs);
    case 'echo':
      return echo(call);
    default:
      return call.listener.pause(LINE_TEST_MS);
  }
}

async function talk(call: AnsweredCall, speaksFirst = false): Promise<void> {
  if (!speaksFirst) await call.listener.utterance(call.patience.greetingMs);
  await say(call, 'hello');
  for (const answer of ['goOn', 'goOn', 'thanks'] as const) {
    if (!(await call.listener.utterance(call.patience.turnMs))) break;
    await say(call, answer);
  }
  await call.listener.pause(call.patience.goodbyeMs);
}

async function voicemail(call: AnsweredCall): Promise<void> {
  await say(call, 'mailbox');
  call.media.write(encode(call.media.codec, beep()));
  await call.media.drained(0);
  call.beeped();
  await call.listener.quiet(call.patience.mailboxMs, LONGEST_MESSAGE_MS);
}

async function dtmfMenu(call: AnsweredCall): Promise<void> {
  call.media.onDtmf(() => call.media.write(encode(call.media.codec, beep(150))));
  await say(call, 'menu');
  await call.listener.utterance(call.patience.greetingMs);
  for (const key of ['1', '2', '9']) {
    await press(call, key);
    await call.listener.utterance(call.patience.turnMs);
  }
  await call.listener.pause(call.patience.goodbyeMs);
}

/** Talks until the caller falls silent. */
async function pressAndTalk(call: AnsweredCall, [first = '', ...others]: string[]): Promise<void> {
  await call.listener.utterance(call.patience.greetingMs);
  // The greeting may have had a pause: its second part is not the answer to the key.
  await call.listener.utterance(0);
  await press(call, first);
  if (others.length > 0 && (await call.listener.utterance(call.patience.turnMs))) await say(call, 'goOn');
  for (const keys of others) {
    await call.listener.utterance(call.patience.turnMs);
    await call.listener.quiet(LISTENING_MS, LONGEST_MESSAGE_MS);
    await call.listener.utterance(0);
    await press(call, keys);
  }
  while (await call.listener.utterance(call.patience.turnMs)) await say(call, 'goOn');
}

async function echo(call: AnsweredCall): Promise<void> {
  call.media.onFrame((frame) => {
    if (call.media.queuedMs < MAX_ECHO_MS) call.media.write(frame);
  });
  await call.listener.pause(LINE_TEST_MS);
}

async function say(call: AnsweredCall, name: Clip): Promise<void> {
  await call.listener.pause(BREATH_MS);
  call.media.write(clip(name, call.media.codec));
  await call.media.drained(0);
  call.said(name);
}

async function press(call: AnsweredCall, digit: string): Promise<void> {
  await call.media.sendDtmf(digit);
  call.said(digit);
}
