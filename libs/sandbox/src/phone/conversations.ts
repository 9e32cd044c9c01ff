import { beep, encode, type MediaPort } from '@app/telephony';
import type { Behaviour } from './extension.js';
import { clip, type Clip } from './phone-clips.js';
import type { VadListener } from './vad-listener.js';

/** What a conversation is held with. Everything in it rejects with MediaClosed when the call ends. */
export interface Line {
  media: MediaPort;
  listener: VadListener;
  patience: Patience;
  /** Notes a clip or a key in the call's record. */
  said(what: string): void;
  /** Notes that the mailbox has beeped. */
  beeped(): void;
}

/** How long the callee waits, in milliseconds. */
export interface Patience {
  /** For the caller's greeting, before it speaks itself. */
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
/** Somebody who asked to wait a moment has not finished. */
const LISTENING_MS = 3_000;
const LONGEST_MESSAGE_MS = 120_000;
/** Calls that only carry audio may be long: load tests use them. */
const LINE_TEST_MS = 600_000;
/** More than this in the queue is delay, not jitter. */
const MAX_ECHO_MS = 200;

/** Holds the conversation of an answered call; when it resolves the callee hangs up. */
export function converse(behaviour: Behaviour, line: Line): Promise<void> {
  switch (behaviour.kind) {
    case 'answer':
      return talk(line, behaviour.speaksFirst);
    case 'voicemail':
      return voicemail(line);
    case 'dtmf_menu':
      return dtmfMenu(line);
    case 'press':
      return pressAndTalk(line, behaviour.inputs);
    case 'hangup':
      return line.listener.pause(behaviour.afterMs);
    case 'echo':
      return echo(line);
    default:
      return line.listener.pause(LINE_TEST_MS);
  }
}

async function talk(line: Line, speaksFirst = false): Promise<void> {
  if (!speaksFirst) await line.listener.utterance(line.patience.greetingMs);
  await say(line, 'hello');
  for (const answer of ['goOn', 'goOn', 'thanks'] as const) {
    if (!(await line.listener.utterance(line.patience.turnMs))) break;
    await say(line, answer);
  }
  await line.listener.pause(line.patience.goodbyeMs);
}

async function voicemail(line: Line): Promise<void> {
  await say(line, 'mailbox');
  line.media.write(encode(line.media.codec, beep()));
  await line.media.drained(0);
  line.beeped();
  await line.listener.quiet(line.patience.mailboxMs, LONGEST_MESSAGE_MS);
}

async function dtmfMenu(line: Line): Promise<void> {
  line.media.onDtmf(() => line.media.write(encode(line.media.codec, beep(150))));
  await say(line, 'menu');
  await line.listener.utterance(line.patience.greetingMs);
  for (const key of ['1', '2', '9']) {
    await press(line, key);
    await line.listener.utterance(line.patience.turnMs);
  }
  await line.listener.pause(line.patience.goodbyeMs);
}

/** As long as somebody speaks. */
async function pressAndTalk(line: Line, [first = '', ...others]: string[]): Promise<void> {
  await line.listener.utterance(line.patience.greetingMs);
  // The greeting may have had a pause: what was heard of it is not the answer to the key.
  await line.listener.utterance(0);
  await press(line, first);
  if (others.length > 0 && (await line.listener.utterance(line.patience.turnMs))) await say(line, 'goOn');
  for (const keys of others) {
    await line.listener.utterance(line.patience.turnMs);
    await line.listener.quiet(LISTENING_MS, LONGEST_MESSAGE_MS);
    await line.listener.utterance(0);
    await press(line, keys);
  }
  while (await line.listener.utterance(line.patience.turnMs)) await say(line, 'goOn');
}

async function echo(line: Line): Promise<void> {
  line.media.onFrame((frame) => {
    if (line.media.queuedMs < MAX_ECHO_MS) line.media.write(frame);
  });
  await line.listener.pause(LINE_TEST_MS);
}

async function say(line: Line, name: Clip): Promise<void> {
  await line.listener.pause(BREATH_MS);
  line.media.write(clip(name, line.media.codec));
  await line.media.drained(0);
  line.said(name);
}

async function press(line: Line, digit: string): Promise<void> {
  await line.media.sendDtmf(digit);
  line.said(digit);
}
