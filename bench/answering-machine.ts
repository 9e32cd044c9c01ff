import { cpuUsage } from 'node:process';
import { beep, encode, FrameTimeline, fromWire, toWire } from '@app/telephony';
import { AnswerDetector, type AnswerResult, detectionOf, EarlyMedia, findPhrases } from '@app/voice';
import { SeededRandom } from '../test/support/seeded-random.js';
import { joined, type Kind, loadCorpus, silence, type Utterance } from './answering-machine-speech.js';
import { table } from './table.js';
import { FRAME, noiseOf } from '@app/simulation/tester';

/** Codec, loss of packets, level of the speech and of the noise (white and hum) below full scale. */
interface Line {
  codec: 'PCMU' | 'PCMA' | 'G722';
  loss: number;
  gainDb: number;
  noiseDb: number;
}

const LINES: Line[] = [
  { codec: 'PCMU', loss: 0, gainDb: 0, noiseDb: -100 },
  { codec: 'PCMA', loss: 0.05, gainDb: -6, noiseDb: -60 },
  { codec: 'PCMU', loss: 0.1, gainDb: -12, noiseDb: -55 },
  { codec: 'G722', loss: 0, gainDb: -6, noiseDb: -60 },
  { codec: 'G722', loss: 0.05, gainDb: -18, noiseDb: -65 },
  { codec: 'PCMA', loss: 0, gainDb: 0, noiseDb: -40 },
];
const RESULTS: AnswerResult[] = ['human', 'voicemail', 'ivr', 'screening', 'fax', 'unknown'];
const [LEAD_MS, AFTER_MS] = [400, 1_500];

interface Outcome {
  kind: Kind;
  line: Line;
  result: AnswerResult;
  confidence: number;
  /** After the last word of a person, or the first one of a machine. */
  decidedMs: number;
}

/**
 * Results of answering machine detection for voices, languages, codecs and losses that the constants were not chosen with; with
 * `--tuning`, those that they were. Once by sound alone, once with the words that a perfect transcriber reports at the decision.
 */
export async function run({ isTuning = false } = {}): Promise<void> {
  const { utterances, missing } = await loadCorpus(isTuning);
  if (missing.length > 0) console.log(`Not installed, and therefore not measured: ${missing.join(', ')}.`);
  const speakers = new Set(utterances.map(({ speaker }) => speaker)).size;
  console.log(
    `${utterances.length} sentences of ${speakers} voices on ${LINES.length} lines, ${isTuning ? 'tuning' : 'test'}`,
  );
  const both = utterances.flatMap((one) => LINES.map((line, at) => outcomesOf(one, line, at)));
  console.log('\nby sound alone');
  printResults(both.map(({ bySound }) => bySound));
  printErrors(both.map(({ bySound }) => bySound));
  console.log('\nwith words');
  printResults(both.map(({ withWords }) => withWords));
  printEarlyMedia(utterances);
  printCost(utterances);
}

interface Outcomes {
  bySound: Outcome;
  withWords: Outcome;
}

function outcomesOf({ kind, samples, text }: Utterance, line: Line, seed: number): Outcomes {
  const end = kind === 'voicemail' ? [silence(300), beep()] : [];
  const call = joined([silence(LEAD_MS), samples, ...end, silence(AFTER_MS)]);
  const detector = new AnswerDetector('PCMU');
  const from = LEAD_MS + (kind === 'human' ? samples.length / 8 : 0);
  for (const frame of overLine(call, line, seed)) {
    const answer = detector.push(frame).find((finding) => finding.type === 'answered')?.answer;
    if (!answer) continue;
    const { cadence, beepsMs } = detector;
    const decided = { kind, line, decidedMs: Math.round(answer.atMs - from) };
    const phrases = findPhrases(text);
    const byWords = phrases?.isSure ? ({ ...answer, answeredBy: 'machine', reason: 'keywords' } as const) : answer;
    const withWords = detectionOf({ answer: byWords, cadence, beepsMs, phrases });
    const bySound = detectionOf({ answer, cadence, beepsMs });
    return { bySound: { ...decided, ...pick(bySound) }, withWords: { ...decided, ...pick(withWords) } };
  }
  const none: Outcome = { kind, line, result: 'unknown', confidence: 0, decidedMs: Infinity };
  return { bySound: none, withWords: none };
}

const pick = ({ result, confidence }: Pick<Outcome, 'result' | 'confidence'>) => ({ result, confidence });

/** Frames of G.711 as the receiver of the line delivers them, lost ones concealed. */
function overLine(sound: Int16Array, { codec, loss, gainDb, noiseDb }: Line, seed: number): Buffer[] {
  const random = new SeededRandom(seed);
  const whole = new Int16Array(Math.ceil(sound.length / FRAME) * FRAME);
  const noise = noiseDb <= -100 ? undefined : noiseOf('white', whole.length / 8_000, noiseDb, random, []);
  const gain = 10 ** (gainDb / 20);
  for (let i = 0; i < whole.length; i++) whole[i] = clamp((sound[i] ?? 0) * gain + (noise?.[i] ?? 0));
  const [sender, receiver] = [toWire('PCMU', codec), fromWire(codec, 'PCMU')];
  const frames: Buffer[] = [];
  const timeline = new FrameTimeline('PCMU', { frame: (frame) => frames.push(frame) });
  let lost = 0;
  for (let at = 0; at < whole.length; at += FRAME) {
    const payload = sender.convert(Buffer.from(encode('PCMU', whole.subarray(at, at + FRAME))));
    if (at > 0 && random.chance(loss)) {
      lost++;
      continue;
    }
    timeline.audio(at, Buffer.from(receiver.convert(payload)), at / 8, lost);
    lost = 0;
  }
  return frames;
}

const clamp = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)));

function printResults(outcomes: Outcome[]): void {
  const kinds: Kind[] = ['human', 'voicemail', 'ivr', 'screening'];
  const rows = kinds.map((kind) => {
    const of = outcomes.filter((one) => one.kind === kind);
    const counts = RESULTS.map((result) => String(of.filter((one) => one.result === result).length));
    const isRight = ({ result }: Outcome): boolean => (kind === 'human') === (result === 'human');
    const wrong = of.filter((one) => !isRight(one)).length;
    const times = of.map(({ decidedMs }) => decidedMs).toSorted((a, b) => a - b);
    const ms = (share: number): string => String(times[Math.floor((times.length - 1) * share)] ?? '');
    return [kind, String(of.length), ...counts, interval(wrong, of.length), ms(0.5), ms(1)];
  });
  table(['', 'calls', ...RESULTS, 'human/machine wrong', 'ms, median', 'longest'], rows);
}

/** Per line: people who count as machines, and machines that count as people. */
function printErrors(outcomes: Outcome[]): void {
  const rows = LINES.map((line) => {
    const of = outcomes.filter((one) => one.line === line);
    const [people, machines] = [of.filter(({ kind }) => kind === 'human'), of.filter(({ kind }) => kind !== 'human')];
    const name = `${line.codec} ${line.loss * 100} % lost, ${line.gainDb} dB, noise ${line.noiseDb} dB`;
    const misses = people.filter(({ result }) => result !== 'human').length;
    const taken = machines.filter(({ result }) => result === 'human').length;
    return [name, interval(misses, people.length), interval(taken, machines.length)];
  });
  table(['line', 'people as machines', 'machines as people'], rows);
}

/** Speech and music before the answer: the share of calls in which it counts as speech. */
function printEarlyMedia(utterances: Utterance[]): void {
  const counts = (sounds: Int16Array[]): string => {
    const heard = sounds.map((sound) => {
      const early = new EarlyMedia('PCMU');
      for (const frame of overLine(sound, LINES[0] as Line, 1)) early.push(frame);
      return early.evidence.speech_ms;
    });
    return interval(heard.filter((ms) => ms >= 800).length, sounds.length);
  };
  const speech = utterances.filter(({ kind }) => kind === 'voicemail').map(({ samples }) => samples);
  const music = (['music', 'hold music'] as const).flatMap((name) =>
    Array.from({ length: 20 }, (_, seed) => Int16Array.from(noiseOf(name, 6, -15, new SeededRandom(seed), []))),
  );
  console.log('\nbefore the answer, counted as speech');
  table(
    ['', 'share'],
    [
      ['announcements', counts(speech)],
      ['music', counts(music)],
    ],
  );
}

function printCost(utterances: Utterance[]): void {
  const frames = utterances.flatMap(({ samples }) => overLine(samples, LINES[0] as Line, 1));
  const detector = new AnswerDetector('PCMU');
  for (const frame of frames) detector.push(frame);
  const before = cpuUsage();
  const again = new AnswerDetector('PCMU');
  for (const frame of frames) again.push(frame);
  const { user, system } = cpuUsage(before);
  console.log(`\n${((user + system) / frames.length).toFixed(1)} µs of CPU per frame`);
}

/** The share with its 95 % confidence interval (Wilson). */
function interval(hits: number, of: number): string {
  if (of === 0) return '';
  const [p, z] = [hits / of, 1.96];
  const middle = (p + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z * Math.sqrt((p * (1 - p)) / of + z ** 2 / (4 * of ** 2))) / (1 + z ** 2 / of);
  const percent = (share: number): string => (100 * share).toFixed(1);
  return `${percent(p)} % (${percent(Math.max(0, middle - half))}-${percent(Math.min(1, middle + half))})`;
}
