/** A machine, or an answer that begins like one. */
export type MachineKind = 'screening' | 'ivr' | 'late_beep' | 'pick_up';

/** The behaviour of the phone in a call, chosen by the user part of the Request-URI. */
export type Behaviour =
  /**
   * Rings (for `ringMs` when given), answers, waits for the greeting (or says hello first, as people do), talks for a few turns, stays
   * until the remote party hangs up.
   */
  | { kind: 'answer'; ringMs?: number; speaksFirst?: true }
  /** Rings, answers and hangs up `afterMs` later without a word. */
  | { kind: 'hangup'; afterMs: number }
  /** Answers at once and returns all audio. */
  | { kind: 'echo' }
  /** Rings, answers and never says a word. */
  | { kind: 'silent' }
  /** Answers at once: greeting, 1 kHz tone, then listens; hangs up when the remote party has been quiet for 5 s. */
  | { kind: 'voicemail' }
  /** Answers at once with the tone of a fax machine (2100 Hz, ITU-T T.30). */
  | { kind: 'fax' }
  /** Answers, says a menu, presses 1 after the greeting, 2 and 9 after the next sentences, beeps for each digit it hears. */
  | { kind: 'dtmf_menu' }
  /**
   * Rings, answers, waits for the greeting and presses the first keys, the next ones each time nothing more is said; talks in between
   * and after them.
   */
  | { kind: 'press'; inputs: string[] }
  /**
   * Answers like a machine. `screening`: asks who is calling, then a person comes. `ivr`: a menu until a key is pressed, then a person.
   * `late_beep`: a mailbox that beeps `beepAfterMs` after its greeting. `pick_up`: a mailbox whose owner picks up during the message.
   */
  | { kind: 'machine'; machine: MachineKind; beepAfterMs: number }
  /** Audio before the answer: a mailbox that never answers, or music, and then a person answers. */
  | { kind: 'early'; audio: 'early_voicemail' | 'early_music' }
  /** Rings until the caller gives up. */
  | { kind: 'no_answer' }
  /** Refuses with this SIP status. */
  | { kind: 'refuse'; status: number };

/** Extensions that npm start, the demo and the documentation name. */
export const EXTENSIONS = {
  answer: 'answer',
  busy: 'busy',
  no_answer: 'no_answer',
  reject: 'reject',
  voicemail: 'voicemail',
  dtmf_menu: 'dtmf_menu',
} as const;

const FIXED: Record<string, Behaviour> = {
  answer: { kind: 'answer' },
  busy: { kind: 'refuse', status: 486 },
  no_answer: { kind: 'no_answer' },
  reject: { kind: 'refuse', status: 603 },
  voicemail: { kind: 'voicemail' },
  dtmf_menu: { kind: 'dtmf_menu' },
  hello: { kind: 'answer', speaksFirst: true },
  echo: { kind: 'echo' },
  silent: { kind: 'silent' },
  screening: { kind: 'machine', machine: 'screening', beepAfterMs: 0 },
  ivr: { kind: 'machine', machine: 'ivr', beepAfterMs: 0 },
  late_beep: { kind: 'machine', machine: 'late_beep', beepAfterMs: 10_000 },
  pick_up: { kind: 'machine', machine: 'pick_up', beepAfterMs: 0 },
  early_voicemail: { kind: 'early', audio: 'early_voicemail' },
  early_music: { kind: 'early', audio: 'early_music' },
  accept: { kind: 'press', inputs: ['1'] },
  decline: { kind: 'press', inputs: ['2'] },
  fax: { kind: 'fax' },
};

/** The extension by the last two digits of a phone number; other numbers answer. */
const BY_NUMBER: Record<string, string> = {
  '81': 'accept',
  '82': 'decline',
  '83': 'hello',
  '84': 'fax',
  '91': 'busy',
  '92': 'no_answer',
  '93': 'reject',
  '94': 'voicemail',
  '95': 'dtmf_menu',
  '96': 'echo',
  '97': 'press_8',
  '98': 'hangup_after_3',
};

const MAX_S = 3_600;

/**
 * The extension and its behaviour for a called user, undefined when it does not exist (404). There are
 * - the names above, `hello` (answer, but speaks first), `echo`, `silent` and `fax`;
 * - `accept` and `decline` (a colleague who presses 1 or 2 in the briefing of a warm transfer; `hello` says yes);
 * - `press_8` (answers, presses 8 after the greeting, then talks), `press_4711_2_8` (presses 4711, says something to the   answer, then
 * 2 and 8, each once there have been 3 s of silence);
 * - `screening`, `ivr`, `late_beep`, `late_beep_25` (beeps 25 s after its greeting), `pick_up`, `early_voicemail` and `early_music`;
 * - `answer_after_2` (rings for 2 s), `hangup_after_0.5` (answers, hangs up after 0.5 s), `status_503` (refuses, 300 to 699);
 * - phone numbers, by their last two digits: 81 accept, 82 decline, 83 hello, 84 fax, 91 busy, 92 no_answer, 93 reject, 94 voicemail, 95 dtmf_menu, 96 echo, 97 press_8, 98
 * hangup_after_3, else   answer;
 * - any of the names with `-` and a text of the caller after it (`answer-17`), which makes calls distinguishable in counts.
 */
export function extensionOf(user: string): { extension: string; behaviour: Behaviour } | undefined {
  if (/^\+?\d{3,15}$/.test(user)) return named(BY_NUMBER[user.slice(-2)] ?? 'answer');
  return named(user.split('-', 1)[0] as string);
}

function named(extension: string): { extension: string; behaviour: Behaviour } | undefined {
  const behaviour = Object.hasOwn(FIXED, extension) ? FIXED[extension] : withParameter(extension);
  return behaviour && { extension, behaviour };
}

function withParameter(extension: string): Behaviour | undefined {
  const inputs = /^press_([0-9*]{1,16}(?:_[0-9*]{1,16}){0,7})$/.exec(extension)?.[1];
  if (inputs !== undefined) return { kind: 'press', inputs: inputs.split('_') };
  const [, name, text] = /^(answer_after|hangup_after|late_beep|status)_(\d{1,4}(?:\.\d{1,3})?)$/.exec(extension) ?? [];
  const value = Number(text);
  if (name === 'status') {
    return Number.isInteger(value) && value >= 300 && value <= 699 ? { kind: 'refuse', status: value } : undefined;
  }
  if (name === undefined || value > MAX_S) return undefined;
  if (name === 'late_beep') return { kind: 'machine', machine: 'late_beep', beepAfterMs: value * 1_000 };
  return name === 'answer_after'
    ? { kind: 'answer', ringMs: value * 1_000 }
    : { kind: 'hangup', afterMs: value * 1_000 };
}
