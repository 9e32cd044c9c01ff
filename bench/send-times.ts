import { Socket } from 'node:dgram';

const FRAME_MS = 20;

/**
 * Send times of one stream by sequence number, 0 where missing; as long as the run: with room for every sequence number, 600 streams
 * allocated 300 MB in one frame, and this pause was the largest of the run.
 */
interface Stream {
  first: number;
  last: number;
  times: Float64Array;
}

/** Frames beyond the duration that a stream may send. */
const MARGIN_FRAMES = 100;

/** `frames`: number of sent frames. Drift is that of the worst stream; deviations refer to absolute 20 ms deadlines. */
export interface SendTimesResult {
  frames: number;
  driftPpm: number;
  p50Ms: number;
  p99Ms: number;
}

/** Records the send time of each RTP packet of this thread by wrapping every socket's `send`, independent of the sender. */
export class SendTimes {
  private readonly streams = new Map<Socket, Stream>();
  /** Frames per stream; 0: not recording. */
  private frames = 0;

  constructor() {
    const { streams } = this;
    const recorded = (): number => this.frames;
    // Only called on a socket, with `apply` below.
    // oxlint-disable-next-line typescript/unbound-method
    const send = Socket.prototype.send as (...args: unknown[]) => void;
    Socket.prototype.send = function timed(this: Socket, ...args: unknown[]) {
      const frames = recorded();
      if (frames > 0 && !isRtcp(args[0] as Buffer)) note(streams, this, args[0] as Buffer, frames);
      send.apply(this, args);
    };
  }

  /** Records for about `ms`, without what was recorded before. */
  start(ms: number): void {
    this.streams.clear();
    this.frames = Math.ceil(ms / FRAME_MS) + MARGIN_FRAMES;
  }

  stop(): SendTimesResult {
    this.frames = 0;
    const streams = [...this.streams.values()];
    const deviations = streams.flatMap(deviationsOf).toSorted((a, b) => a - b);
    return {
      frames: deviations.length,
      driftPpm: Math.max(...streams.map(driftPpm)),
      p50Ms: deviations[Math.floor(deviations.length * 0.5)] ?? NaN,
      p99Ms: deviations[Math.floor(deviations.length * 0.99)] ?? NaN,
    };
  }
}

/** Combines threads: the sum of their frames, and the worst of their figures. */
export function worstOf(results: SendTimesResult[]): SendTimesResult {
  const worst = (of: (one: SendTimesResult) => number): number => Math.max(...results.map(of));
  return {
    frames: results.reduce((sum, one) => sum + one.frames, 0),
    driftPpm: worst((one) => one.driftPpm),
    p50Ms: worst((one) => one.p50Ms),
    p99Ms: worst((one) => one.p99Ms),
  };
}

/** RTCP shares nothing with the audio's clock (RFC 5761 §4: its packet types are 192-223). */
const isRtcp = (packet: Buffer): boolean => (packet[1] ?? 0) >= 192 && (packet[1] ?? 0) <= 223;

function note(streams: Map<Socket, Stream>, socket: Socket, packet: Buffer, frames: number): void {
  const sequence = packet.readUInt16BE(2);
  let stream = streams.get(socket);
  if (!stream) streams.set(socket, (stream = { first: sequence, last: 0, times: new Float64Array(frames) }));
  stream.last = (sequence - stream.first) & 0xffff;
  stream.times[stream.last] = performance.now();
}

/** Drift of the stream against 50 packets per second, between the medians of its first and last tenth: a stall affects neither. */
function driftPpm(stream: Stream): number {
  const offsets = offsetsOf(stream);
  const tenth = Math.ceil(offsets.length / 10);
  const moved = median(offsets.slice(-tenth)) - median(offsets.slice(0, tenth));
  return (Math.abs(moved) / ((offsets.length - tenth) * FRAME_MS)) * 1e6;
}

function deviationsOf(stream: Stream): number[] {
  const offsets = offsetsOf(stream);
  const grid = median(offsets);
  return offsets.map((offset) => Math.abs(offset - grid));
}

function offsetsOf({ times, last }: Stream): number[] {
  const offsets: number[] = [];
  for (let i = 0; i <= last; i++) if (times[i]) offsets.push(times[i]! - i * FRAME_MS);
  return offsets;
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
