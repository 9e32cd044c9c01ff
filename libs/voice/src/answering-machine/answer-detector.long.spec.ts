import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  framesOf,
  join,
  louder,
  music,
  noisy,
  silence,
  spoken,
  tone,
  voices,
  type Say,
  type Sound,
  type Speech,
} from '../../test/user-audio.js';
import type { AnsweredBy } from '../session-events.js';
import { AnswerDetector, type Finding } from './answer-detector.js';

/** Greetings of humans. */
const HUMAN: Speech[] = [
  ['Hello?'],
  ['Yes?'],
  ['Smith.'],
  ['Hello, John speaking.'],
  ['Hello, this is Anna Miller.'],
  ['Hello?', 600, 'Hello?'],
  ['Hi, who is this please?'],
];

const MACHINE: Speech[] = [
  [
    'Hi, you have reached Bob Miller.',
    300,
    'I cannot come to the phone right now.',
    400,
    'Please leave a message after the tone.',
  ],
  ['The person you are calling is not available.', 350, 'Please leave your message after the beep.'],
  ['Hello.', 500, 'Sorry I missed your call.', 300, 'Leave a message and I will call you back.'],
  [
    'You have reached the voice mailbox of five five five, one two three four.',
    300,
    'At the tone, please record your message.',
  ],
  ['Please leave a message.'],
];

/** The level of the speech below studio level, and of the line noise below full scale, in dB. */
const LINES = [
  { speech: 0, noise: -100 },
  { speech: -12, noise: -55 },
  { speech: -24, noise: -62 },
  { speech: 0, noise: -38 },
];

const detect = (sound: Sound, codec: 'PCMU' | 'PCMA' = 'PCMU'): Finding[] => {
  const detector = new AnswerDetector(codec);
  return framesOf(codec, sound).flatMap((frame) => detector.push(frame));
};

const answerOf = (findings: Finding[]) => findings.find((finding) => finding.type === 'answered')?.answer;
const beepsOf = (findings: Finding[]) =>
  findings.filter((finding) => finding.type === 'beep').map(({ tone: at }) => at);

/** `unknown` without any speech. */
const reasonOf = (sound: Sound): string => answerOf(detect(sound))?.reason ?? 'undecided';

describe('the answer detector', () => {
  let all: Map<string, Say>;
  const table: Record<'human' | 'machine', Record<AnsweredBy, number>> = {
    human: { human: 0, machine: 0, unknown: 0 },
    machine: { human: 0, machine: 0, unknown: 0 },
  };
  /** Decision times, since the end of a human's words and the beginning of a machine's. */
  const delays: Record<'human' | 'machine', number[]> = { human: [], machine: [] };

  const answers = (kind: 'human' | 'machine', said: Sound, line: (typeof LINES)[number]) => {
    const beep = kind === 'machine' ? [silence(300), tone([1000], 400)] : [];
    const call = join(silence(400), louder(join(said, ...beep), line.speech), silence(1500));
    const answer = answerOf(detect(noisy(call, line.noise)));
    table[kind][answer?.answeredBy ?? 'unknown']++;
    delays[kind].push((answer?.atMs ?? Infinity) - 400 - (kind === 'human' ? said.length / 8 : 0));
  };

  beforeAll(async () => {
    all = await voices();
    for (const say of all.values()) {
      for (const [kind, list] of [['human', HUMAN] as const, ['machine', MACHINE] as const]) {
        for (const speech of list) {
          const said = await spoken(say, speech);
          LINES.forEach((line) => answers(kind, said, line));
        }
      }
    }
  });

  it('humans and machines are distinguished for every voice, level and noise', () => {
    const cases = all.size * LINES.length;
    expect(table).toEqual({
      human: { human: cases * HUMAN.length, machine: 0, unknown: 0 },
      machine: { human: 0, machine: cases * MACHINE.length, unknown: 0 },
    });
  });

  it('a human is recognised within 0.9 s of the last word', () => {
    expect(Math.max(...delays.human)).toBeLessThanOrEqual(900);
  });

  it('a machine is recognised within 3.8 s of its first word', () => {
    expect(Math.max(...delays.machine)).toBeLessThanOrEqual(3800);
  });

  it('a company that answers with a long sentence counts as a machine', async () => {
    const said = await spoken(all.get('formant')!, ['Good morning, Miller and Sons, how may I help you today?']);
    expect(reasonOf(join(silence(300), said, silence(1000)))).toBe('long_greeting');
  });

  it('two words after a click count as a human', async () => {
    const said = await spoken(all.get('formant')!, ['Hello?']);
    const click = join(silence(200), tone([300, 900, 1700, 2500], 20, -3), silence(700));
    expect(reasonOf(join(click, said, silence(1500)))).toBe('short_greeting');
  });

  it('a silent line is unknown', () => {
    expect(answerOf(detect(noisy(silence(3000), -50)))).toEqual({
      answeredBy: 'unknown',
      reason: 'initial_silence',
      atMs: 2500,
    });
  });

  it('a line that was silent at first is unknown until a beep', async () => {
    const said = await spoken(all.get('formant')!, MACHINE[0]!);
    const findings = detect(join(silence(3000), said, silence(500), tone([1400], 300), silence(500)));
    const answers = findings.filter((finding) => finding.type === 'answered').map(({ answer }) => answer.reason);
    expect(answers).toEqual(['initial_silence', 'beep']);
  });

  it('the analysis ends with an answer', () => {
    const bursts = Array.from({ length: 30 }, () => join(tone([310, 530, 1130], 60), silence(200)));
    expect(answerOf(detect(join(...bursts)))?.atMs).toBeLessThanOrEqual(5000);
  });

  it('a pressed key means a human, and the decision is final', () => {
    const detector = new AnswerDetector('PCMU');
    const [first] = framesOf('PCMU', silence(20));
    detector.push(first!);
    expect(detector.press()).toEqual([
      { type: 'answered', answer: { answeredBy: 'human', reason: 'key_pressed', atMs: 20 } },
    ]);
    const more = framesOf('PCMU', join(tone([1000], 400), silence(500))).flatMap((frame) => detector.push(frame));
    expect(more.filter((finding) => finding.type === 'answered')).toEqual([]);
  });

  it.each([
    ['music', join(silence(200), music(4000)), 'long_greeting'],
    ['a fax', join(silence(500), tone([2100], 3000), silence(500)), 'fax'],
    [
      'an announcement with its three tones',
      join(silence(300), tone([950], 330), tone([1400], 330), tone([1800], 330), silence(200)),
      'intercept',
    ],
    ['a beep alone', join(silence(300), tone([1000], 400), silence(400)), 'beep'],
    ['a noisy line without speech', noisy(silence(3000), -36), 'initial_silence'],
    ['a dial tone', join(silence(100), tone([350, 440], 5000)), 'initial_silence'],
    [
      'a busy tone',
      join(...Array.from({ length: 4 }, () => join(tone([480, 620], 500), silence(500)))),
      'initial_silence',
    ],
    [
      'a European busy tone',
      join(...Array.from({ length: 4 }, () => join(tone([425], 500), silence(500)))),
      'initial_silence',
    ],
    ['ringing', join(tone([440, 480], 2000), silence(4000)), 'initial_silence'],
  ])('the detector recognises %s', (_name, sound, reason) => expect(reasonOf(sound)).toBe(reason));
});

describe('the beep detector', () => {
  /** Speech before the beep, as on a machine. */
  let greeting: Sound;

  beforeAll(async () => {
    greeting = join(await spoken((await voices()).get('formant')!, ['Leave a message.']), silence(250));
  });

  const heard = (beep: Sound, noise = -60, codec: 'PCMU' | 'PCMA' = 'PCMU') =>
    beepsOf(detect(noisy(join(greeting, beep, silence(600)), noise), codec));

  it.each(
    [350, 425, 440, 620, 800, 1000, 1250, 1400, 1500, 1700, 2000, 2600, 3200].flatMap((hz) =>
      [120, 250, 700, 3000].map((ms) => [hz, ms] as const),
    ),
  )('a beep of %i Hz and %i ms is detected at every level', (hz, ms) => {
    for (const [db, noise] of [
      [-6, -60],
      [-20, -45],
      [-34, -56],
    ] as const) {
      const beeps = heard(tone([hz], ms, db), noise, ms > 500 ? 'PCMA' : 'PCMU');
      expect(beeps).toHaveLength(1);
      expect(Math.abs((beeps[0]?.frequencies[0] ?? 0) - hz)).toBeLessThanOrEqual(10);
      expect(Math.abs((beeps[0]?.endMs ?? 0) - (beeps[0]?.startMs ?? 0) - ms)).toBeLessThanOrEqual(60);
    }
  });

  it.each([
    [600, 900],
    [950, 1400],
    [1000, 2000],
    [440, 1320],
  ])('a beep of %i and %i Hz together is detected', (low, high) => {
    const [beep] = heard(tone([low, high], 400));
    expect(beep?.frequencies.map((hz) => Math.round(hz / 10) * 10)).toEqual([low, high]);
  });

  it('a beep is reported within 0.3 s of its end', () => {
    const detector = new AnswerDetector('PCMU');
    const sound = join(greeting, tone([1000], 400), silence(1000));
    const at = framesOf('PCMU', sound).findIndex((frame) => detector.push(frame).some(({ type }) => type === 'beep'));
    const endMs = (sound.length - 8000) / 8;
    expect(at * 20 - endMs).toBeLessThanOrEqual(300);
    expect(at * 20 - endMs).toBeGreaterThan(0);
  });

  it('two beeps in a row are one, at the end of the second', () => {
    const beeps = heard(join(tone([1000], 200), silence(100), tone([1000], 200)));
    expect(beeps).toHaveLength(1);
  });

  it('a beep with a click in the middle is detected', () => {
    const beep = tone([1000], 600);
    beep.fill(20_000, 2000, 2024);
    expect(heard(beep)).toHaveLength(1);
  });

  it.each([
    ['a key', tone([770, 1336], 200)],
    ['ringing', tone([440, 480], 2000)],
    ['a dial tone', tone([350, 440], 1000)],
    ['hum', tone([100], 500)],
    ['a chord', tone([523, 659, 784], 500)],
    ['music', music(2000)],
    ['a sliding whistle', join(...Array.from({ length: 30 }, (_, i) => tone([800 + 60 * i], 20)))],
    ['a click', tone([1000], 40)],
    ['a tone that does not end for 6 s', tone([1000], 6000)],
    ['noise', noisy(silence(500), -20)],
  ])('the detector does not mistake %s for a beep', (_name, sound) => expect(heard(sound)).toEqual([]));

  it('speech of humans and machines contains no beep', async () => {
    for (const say of (await voices()).values()) {
      const said = await Promise.all([...HUMAN, ...MACHINE].map((speech) => spoken(say, speech)));
      const spread = said.flatMap((sound) => [sound, silence(700)]);
      for (const line of LINES) {
        expect(beepsOf(detect(noisy(louder(join(...spread), line.speech), line.noise)))).toEqual([]);
      }
    }
  });
});
