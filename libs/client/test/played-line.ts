import { FRAME_SAMPLES } from '../src/web/worklet/frame-slicer.js';
import { PlayOut, type PlayOutReport } from '../src/web/worklet/play-out.js';

/** Samples that a browser asks a worklet for. */
export const BLOCK = 128;

export interface Line {
  seconds: number;
  /** Rate of the sound card. */
  rate?: number;
  /** The service's clock is slower by this share. */
  skew?: number;
  /** Delay of frame `n`, in milliseconds; frames never overtake each other. Undefined: the service does not send it. */
  delay?: (n: number) => number | undefined;
  sample?: (at: number) => number;
  /** Milliseconds after which `clear` comes. */
  clearAt?: number;
  latency?: number;
  /** Without the samples, of which ten minutes have millions. */
  onlyReports?: boolean;
}

export const voice = (at: number): number => 1 + Math.round(8_000 * Math.sin((2 * Math.PI * 150 * at) / 16_000));

/** Runs a play-out by the clock of the sound card: frames of the service arrive between blocks. */
export function play({
  seconds,
  rate = 48_000,
  skew = 0,
  delay = () => 0,
  sample = voice,
  clearAt,
  latency = 0,
  onlyReports = false,
}: Line) {
  const reports: PlayOutReport[] = [];
  const playOut = new PlayOut(rate, 1, (report) => reports.push(report));
  playOut.latency = latency;
  const played: number[] = [];
  const { resampler } = playOut['channels'][0]!;
  const push = resampler.push.bind(resampler);
  resampler.push = (value) => {
    if (!onlyReports) played.push(Math.round(value * 32_768));
    push(value);
  };
  const output: number[] = [];
  let [frame, sentUntil, cleared] = [0, 0, false];
  for (let block = 0; block * BLOCK < seconds * rate; block += 1) {
    const now = (block * BLOCK * 1000) / rate;
    for (;;) {
      const late = delay(frame);
      if (late !== undefined) sentUntil = Math.max(sentUntil, frame * 20 * (1 + skew) + late);
      if ((late === undefined ? frame * 20 : sentUntil) > now) break;
      const first = frame * FRAME_SAMPLES;
      if (late !== undefined) playOut.push(Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => sample(first + at)));
      frame += 1;
    }
    if (clearAt !== undefined && !cleared && now >= clearAt) {
      playOut.clear();
      cleared = true;
    }
    const samples = new Float32Array(BLOCK);
    playOut.render([samples]);
    if (!onlyReports) output.push(...samples);
  }
  return { reports, played, output, last: reports.at(-1)! };
}
