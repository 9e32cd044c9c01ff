import type { Entry } from './conversation.js';
import { words } from './format.js';
import type { Call, Diagnostics } from '../api/types.js';

export type Lane = 'line' | 'far' | 'agent' | 'acts';

/** A time span of the call, in milliseconds since its start. */
export interface Segment {
  lane: Lane;
  kind: string;
  fromMs: number;
  toMs: number;
  label: string;
}

export interface Story {
  lengthMs: number;
  /** Time of the answer; undefined: not answered. */
  answerMs: number | undefined;
  segments: Segment[];
}

const MIN_MS = 1_000;

type Times = Pick<Call, 'created_at' | 'started_at' | 'answered_at'>;

/** The start of a call, from which all times on its page count. */
export const startOf = ({ started_at: started, created_at: created }: Times): number => Date.parse(started ?? created);

/** Milliseconds from the start of a call to its answer; undefined: not answered. */
export const answerOf = (call: Times): number | undefined =>
  call.answered_at === null ? undefined : Math.max(0, Date.parse(call.answered_at) - startOf(call));

/** A call as bars on a time axis: ringing and signalling, speech of both sides, actions of the agent. */
export function storyOf(
  call: Times & Pick<Call, 'ended_at'>,
  entries: readonly Entry[],
  diagnostics: Diagnostics | undefined,
  now: number,
): Story {
  const began = startOf(call);
  const since = (iso: string): number => Math.max(0, Date.parse(iso) - began);
  const endMs = Math.max(call.ended_at === null ? now - began : since(call.ended_at), MIN_MS);
  const answerMs = answerOf(call);
  const ring: Segment = {
    lane: 'line',
    kind: 'ring',
    fromMs: 0,
    toMs: answerMs ?? endMs,
    label: 'Setup and ringing',
  };
  const talk: Segment[] =
    answerMs === undefined
      ? []
      : [{ lane: 'line', kind: 'answered', fromMs: answerMs, toMs: endMs, label: 'Connected' }];
  const signals = (diagnostics?.legs ?? []).flatMap(({ ladder }) =>
    ladder.map(({ at, summary, direction }): Segment => {
      const atMs = since(at);
      return { lane: 'line', kind: `sip ${direction}`, fromMs: atMs, toMs: atMs, label: summary };
    }),
  );
  const spoken = entries.flatMap((entry) => segmentOf(entry, answerMs ?? 0, endMs));
  return { lengthMs: endMs, answerMs, segments: [ring, ...talk, ...signals, ...spoken] };
}

function segmentOf(entry: Entry, answerMs: number, endMs: number): Segment[] {
  const fromMs = answerMs + entry.atMs;
  switch (entry.kind) {
    case 'turn': {
      const toMs = answerMs + entry.endMs;
      const kind = entry.cutBy === undefined ? 'speech' : 'speech cut';
      return [{ lane: laneOf(entry.role), kind: `${kind}${ofPerson(entry.role)}`, fromMs, toMs, label: entry.text }];
    }
    case 'speaking':
      return [
        {
          lane: laneOf(entry.role),
          kind: `speech now${ofPerson(entry.role)}`,
          fromMs,
          toMs: Math.max(endMs, fromMs),
          label: 'Speaking',
        },
      ];
    case 'tool':
    case 'search': {
      const label = entry.kind === 'tool' ? words(entry.name) : `Search: ${entry.query}`;
      return [
        { lane: 'acts', kind: `${entry.kind}${entry.ok ? '' : ' bad'}`, fromMs, toMs: fromMs + entry.tookMs, label },
      ];
    }
    case 'keys':
      return [{ lane: 'acts', kind: 'keys', fromMs, toMs: fromMs, label: `Keys ${entry.digits}` }];
  }
  return [{ lane: 'acts', kind: entry.isBad ? 'note bad' : 'note', fromMs, toMs: fromMs, label: entry.text }];
}

/** A person who takes over speaks in place of the agent. */
const laneOf = (role: 'agent' | 'far' | 'supervisor'): Lane => (role === 'supervisor' ? 'agent' : role);
const ofPerson = (role: string): string => (role === 'supervisor' ? ' person' : '');

/** Positions of the time labels: every 1, 2, 5, 10, … seconds, at most about `most`. */
export function ticksOf(lengthMs: number, most: number): number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600].map((seconds) => seconds * 1_000);
  const step = steps.find((one) => lengthMs / one <= most) ?? 7_200_000;
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step);
}
