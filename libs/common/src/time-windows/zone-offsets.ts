import { LRUCache } from 'lru-cache';
import { IANAZone } from './luxon.js';

const DAY_MS = 86_400_000;
/** Offsets are read once per span of time and zone. */
const BLOCK_MS = 32 * DAY_MS;
/** Clocks never change twice within this time: the shortest summer time was interrupted for weeks. */
const STEP_MS = 4 * DAY_MS;
const SECOND_MS = 1_000;

/** A time during which a zone keeps its offset. */
interface OffsetSpan {
  /** Since 1970. */
  start: number;
  end: number;
  /** Local time minus UTC. */
  offsetMs: number;
}

/** Two years of every zone; reading the offsets of a block takes about 0.1 ms. */
const blocks = new LRUCache<string, OffsetSpan[]>({ max: 16_384 });

/** An IANA time zone; names differ in their case only. */
export const isTimeZone = (name: string): boolean => /^[A-Za-z]/.test(name) && IANAZone.isValidZone(name);

/** The offsets of one zone; it remembers the last span, because questions come in the order of time. */
export class ZoneClock {
  private span: OffsetSpan = { start: 0, end: 0, offsetMs: 0 };

  constructor(private readonly zone: string) {}

  /** The offset at a moment, and the span around it, which may end before the offset changes. Throws RangeError for an unknown zone. */
  at(time: number): OffsetSpan {
    if (time < this.span.start || time >= this.span.end) this.span = offsetSpanAt(this.zone, time);
    return this.span;
  }
}

function offsetSpanAt(zone: string, at: number): OffsetSpan {
  const block = Math.floor(at / BLOCK_MS);
  // One cache entry in luxon per zone, however the name is written.
  const name = zone.toLowerCase();
  const key = `${block} ${name}`;
  let spans = blocks.get(key);
  if (!spans) {
    spans = spansOf(name, block * BLOCK_MS, (block + 1) * BLOCK_MS);
    blocks.set(key, spans);
  }
  return spans.find(({ end }) => at < end)!;
}

function spansOf(zone: string, from: number, to: number): OffsetSpan[] {
  const offsetAt = offsetsOf(zone);
  const spans: OffsetSpan[] = [{ start: from, end: to, offsetMs: offsetAt(from) }];
  for (let time = from; time < to; time += STEP_MS) {
    for (const [at, offsetMs] of changes(offsetAt, time, Math.min(time + STEP_MS, to))) {
      if (at === to) continue;
      spans.at(-1)!.end = at;
      spans.push({ start: at, end: to, offsetMs });
    }
  }
  return spans;
}

function offsetsOf(name: string): (at: number) => number {
  const zone = IANAZone.create(name);
  if (!zone.isValid) throw new RangeError('The time zone is not an IANA name.');
  return (at) => Math.round(zone.offset(at) * 60_000);
}

/** The changes in (from, to], to the second. */
function changes(offsetAt: (at: number) => number, from: number, to: number): [at: number, offsetMs: number][] {
  const after = offsetAt(to);
  if (offsetAt(from) === after) return [];
  if (to - from <= SECOND_MS) return [[to, after]];
  const middle = from + Math.floor((to - from) / 2 / SECOND_MS) * SECOND_MS;
  return [...changes(offsetAt, from, middle), ...changes(offsetAt, middle, to)];
}
