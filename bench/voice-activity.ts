import { MessageChannel } from 'node:worker_threads';
import { createLog } from '@app/common';
import { encode, FRAME_MS, VoiceActivity } from '@app/telephony';
import { BargeIn, HearingClient, type HearingModels, HearingService, loadRnnoise, loadSilero } from '@app/voice';
import { SeededRandom } from '../test/support/seeded-random.js';
import { table } from './table.js';
import { atLevel, FRAME, noiseOf, RATE } from '@app/simulation/tester';
import { NOISE_NAMES, type NoiseName } from '@app/agents/scenarios';
import { loadSpeakers, type Speaker } from './voice-activity-speech.js';

/** Of the loud parts of the user's speech, below full scale. */
const SPEECH_DB = -22;
/** Of the speech over the noise. */
const RATIOS_DB = [20, 10, 5, 0];
const LEAD_SECONDS = 3;
const GAP_SECONDS = 4;
const UTTERANCES_PER_SPEAKER = 4;
/** Speech is missed when it does not interrupt the agent within this time. */
const LATEST_START_MS = 600;
/** The end is missed when the detector still reports speech after this time; noise counts again from then on. */
const LATEST_END_MS = 1_200;
const TIMINGS = { duckMs: 60, interruptMs: 200, guardMs: 0 };

/** Frames of one line, and where its speech is. */
interface Line {
  noise: NoiseName;
  ratioDb: number;
  frames: Buffer[];
  speech: { fromMs: number; toMs: number }[];
}

interface Score {
  noiseMs: number;
  falseInterruptions: number;
  /** From the beginning of an utterance to the interruption; Infinity: missed. */
  starts: number[];
  /** From the end of an utterance to the end of its detection; Infinity: missed. */
  ends: number[];
}

interface Method {
  name: string;
  isNeural: boolean;
  isSuppressed: boolean;
}

const METHODS: Method[] = [
  { name: 'energy', isNeural: false, isSuppressed: false },
  { name: 'neural', isNeural: true, isSuppressed: false },
  { name: 'energy, suppressed', isNeural: false, isSuppressed: true },
  { name: 'neural, suppressed', isNeural: true, isSuppressed: true },
];

/**
 * False interruptions and missed speech on noise, for each detector of the user's voice. With `--tuning` the speakers and noises that
 * the constants were chosen with.
 */
export async function run({ isTuning = false } = {}): Promise<void> {
  const { tuning, test, missing } = await loadSpeakers();
  if (missing.length > 0) console.log(`Not installed, and therefore not measured: ${missing.join(', ')}.`);
  const speakers = isTuning ? tuning : test;
  if (speakers.length === 0) return console.log('No speech to measure with.');
  console.log(`Speakers: ${speakers.map(({ name }) => name).join(', ')}.`);
  const lines = NOISE_NAMES.flatMap((noise) => RATIOS_DB.map((ratioDb) => line(noise, ratioDb, speakers, isTuning)));
  const results: Result[] = [];
  for (const method of METHODS) {
    const result = await measure(lines, method);
    if (result) results.push(result);
  }
  report(lines, results);
}

function line(noise: NoiseName, ratioDb: number, speakers: Speaker[], isTuning: boolean): Line {
  const random = new SeededRandom(`${noise} ${ratioDb} ${isTuning}`);
  const chosen = speakers.flatMap(({ utterances }) =>
    Array.from({ length: UTTERANCES_PER_SPEAKER }, () => random.pick(utterances)),
  );
  const seconds = LEAD_SECONDS + chosen.reduce((total, one) => total + one.length / RATE + GAP_SECONDS, 0);
  const voices = speakers.flatMap(({ utterances }) => utterances);
  const sound = noiseOf(noise, seconds, SPEECH_DB - ratioDb, random, voices);
  const speech: Line['speech'] = [];
  let at = LEAD_SECONDS * RATE;
  for (const utterance of chosen) {
    const spoken = atLevel(utterance, SPEECH_DB);
    for (let i = 0; i < spoken.length; i++) sound[at + i]! += spoken[i]!;
    speech.push({ fromMs: (at * 1_000) / RATE, toMs: ((at + spoken.length) * 1_000) / RATE });
    at += spoken.length + GAP_SECONDS * RATE;
  }
  return { noise, ratioDb, frames: framesOf(sound), speech };
}

function framesOf(sound: Float64Array): Buffer[] {
  const pcm = Int16Array.from(sound, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample))));
  const audio = encode('PCMU', pcm);
  return Array.from({ length: Math.floor(audio.length / FRAME) }, (_, i) => audio.subarray(i * FRAME, (i + 1) * FRAME));
}

interface Result {
  method: Method;
  scores: Score[];
  /** Of one core, for one call in real time. */
  cpuPercent: number;
}

/** All lines at once, as the calls of a dialer. Undefined: the packages of the method are not installed. */
async function measure(lines: Line[], method: Method): Promise<Result | undefined> {
  const hearing = await openHearing(method);
  if (!hearing) return undefined;
  const listeners = lines.map((one) => new Listener(one, method, hearing.client));
  const longest = Math.max(...lines.map(({ frames }) => frames.length));
  const before = process.cpuUsage();
  for (let at = 0; at < longest; at++) {
    for (const listener of listeners) listener.take(at);
    await hearing.settled();
  }
  const { user, system } = process.cpuUsage(before);
  hearing.close();
  const callMs = lines.reduce((total, { frames }) => total + frames.length * FRAME_MS, 0);
  const scores = listeners.map((listener) => listener.score());
  return { method, scores, cpuPercent: (user + system) / 10 / callMs };
}

/** The hearing of a dialer in this thread: results are as late as in real time, however slow the machine is. */
async function openHearing({ name, isNeural, isSuppressed }: Method) {
  const models: HearingModels = { voice: loadSilero, clean: loadRnnoise };
  let running = 0;
  try {
    if (isSuppressed) await models.clean();
    if (isNeural) {
      const model = await models.voice();
      const probabilities: typeof model.probabilities = async (...batch) => {
        running++;
        return model.probabilities(...batch).finally(() => running--);
      };
      models.voice = () => Promise.resolve({ windowOf: (rate) => model.windowOf(rate), probabilities });
    }
  } catch (error) {
    console.log(`Without "${name}": ${String(error)}`);
    return undefined;
  }
  const { port1, port2 } = new MessageChannel();
  new HearingService(models).serve(port2);
  const client = HearingClient.connect(port1, createLog({ level: 'silent', role: 'bench' }));
  /** All messages and runs of the latest frames are over. */
  const settled = async (): Promise<void> => {
    if (!isNeural && !isSuppressed) return;
    for (let quiet = 0; quiet < 6; quiet = running > 0 ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
  };
  return { client, settled, close: () => port1.close() };
}

/** One line with its detector. */
class Listener {
  private readonly voice: ReturnType<HearingClient['voiceActivity']>;
  private readonly suppressor: ReturnType<HearingClient['noiseSuppressor']> | undefined;
  private readonly bargeIn: BargeIn;
  private falseInterruptions = 0;
  private isInterrupting = false;
  private readonly starts: number[];
  private readonly ends: number[];

  constructor(
    private readonly line: Line,
    { isNeural, isSuppressed }: Method,
    client: HearingClient,
  ) {
    const startMs = TIMINGS.duckMs;
    this.voice = isNeural ? client.voiceActivity('PCMU', { startMs }) : new VoiceActivity('PCMU', { startMs });
    this.suppressor = isSuppressed ? client.noiseSuppressor('PCMU') : undefined;
    this.bargeIn = new BargeIn(this.voice, TIMINGS);
    this.starts = line.speech.map(() => Infinity);
    this.ends = line.speech.map(() => Infinity);
  }

  take(index: number): void {
    const frame = this.line.frames[index];
    if (!frame) return;
    const interrupts = this.hear(frame);
    const nowMs = (index + 1) * FRAME_MS;
    const at = this.line.speech.findIndex(({ fromMs, toMs }) => nowMs >= fromMs && nowMs <= toMs + LATEST_END_MS);
    if (at < 0 && interrupts && !this.isInterrupting) this.falseInterruptions++;
    this.isInterrupting = interrupts || (this.isInterrupting && this.voice.speaking);
    const utterance = this.line.speech[at];
    if (!utterance) return;
    if (interrupts) this.starts[at] = Math.min(this.starts[at]!, nowMs - utterance.fromMs);
    if (!this.voice.speaking && nowMs > utterance.toMs)
      this.ends[at] = Math.min(this.ends[at]!, nowMs - utterance.toMs);
  }

  score(): Score {
    const { speech, frames } = this.line;
    const spokenMs = speech.reduce((total, { fromMs, toMs }) => total + toMs + LATEST_END_MS - fromMs, 0);
    const { falseInterruptions, starts, ends } = this;
    return { noiseMs: frames.length * FRAME_MS - spokenMs, falseInterruptions, starts, ends };
  }

  /** Returns whether the frame interrupts the agent. */
  private hear(frame: Buffer): boolean {
    return this.bargeIn.heard(this.suppressor?.pass(frame) ?? frame, { speaks: true }) === 'stop';
  }
}

function report(lines: Line[], results: Result[]): void {
  const names = results.map(({ method }) => method.name);
  const measures: [string, (score: Score) => string][] = [
    ['false interruptions per minute of noise', falsePerMinute],
    ['missed starts', ({ starts }) => missed(starts, LATEST_START_MS)],
    ['missed ends', ({ ends }) => missed(ends, LATEST_END_MS)],
  ];
  for (const [title, valueOf] of measures) {
    const rows = lines.map(({ noise, ratioDb }, i) => [
      `${noise}, ${ratioDb} dB`,
      ...results.map(({ scores }) => valueOf(scores[i]!)),
    ]);
    table([title, ...names], rows);
  }
  const summary = results.map(({ method, scores, cpuPercent }) => {
    const all = combine(scores);
    const times = (values: number[]): string => `${quantile(values, 0.5)} / ${quantile(values, 0.95)} ms`;
    const values = measures.map(([, valueOf]) => valueOf(all));
    return [method.name, ...values, times(all.starts), times(all.ends), `${cpuPercent.toFixed(2)} %`];
  });
  table(
    ['all noises', 'false/min', 'missed starts', 'missed ends', 'start p50/p95', 'end p50/p95', 'CPU/call'],
    summary,
  );
}

const combine = (scores: Score[]): Score => ({
  noiseMs: scores.reduce((total, { noiseMs }) => total + noiseMs, 0),
  falseInterruptions: scores.reduce((total, one) => total + one.falseInterruptions, 0),
  starts: scores.flatMap(({ starts }) => starts),
  ends: scores.flatMap(({ ends }) => ends),
});

const falsePerMinute = ({ falseInterruptions, noiseMs }: Score): string =>
  ((falseInterruptions * 60_000) / noiseMs).toFixed(1);

const missed = (times: number[], limitMs: number): string =>
  `${((100 * times.filter((ms) => ms > limitMs).length) / times.length).toFixed(0)} %`;

/** Of the values that are not missed. */
function quantile(times: number[], share: number): string {
  const sorted = times.filter(Number.isFinite).toSorted((one, other) => one - other);
  return (sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(0);
}
