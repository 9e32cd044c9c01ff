import { isDeepStrictEqual } from 'node:util';
import { bound } from '@app/json-schema/patterns';
import type { SessionEnd, SessionEvent } from '@app/voice';
import {
  agentTurns,
  flowOf,
  happened,
  isPartOf,
  isSaid,
  isWantedCall,
  momentSentence,
  ofType,
  quote,
  spelt,
} from './conversation-facts.js';
import type { HeardLine } from '../tester/call-audio.js';
import { endFailure, missingCall } from './step-outcome.js';
import type { TestCallFacts } from './tester-line.js';
import type { AudioLimits, JudgeSettings } from '@app/agents/scenarios';

/** The result of one kind of expectation on the whole conversation. */
export interface CheckResult {
  /** `persona`, `guardrails`, or a field of `judge`. */
  name: string;
  passed: boolean;
  failures: string[];
}

type RuleName = Exclude<keyof JudgeSettings, 'rubric' | 'model'>;
type Wanted = { [Name in RuleName]: NonNullable<JudgeSettings[Name]> };

interface Conversation {
  events: readonly SessionEvent[];
  end: SessionEnd | undefined;
  durationMs: number;
  /** What the caller's phone heard; undefined in text. */
  heard?: HeardLine;
  /** The record of a call over SIP. */
  call?: TestCallFacts;
}

/** The failures of each rule, as sentences. */
const RULES: { [Name in RuleName]: (wanted: Wanted[Name], conversation: Conversation) => string[] } = {
  must_say: (wanted, { events }) => {
    const heard = wordsOf(events);
    const missing = wanted.filter((one) => !isSaid(one, heard));
    return missing.map((one) => `The agent did not say ${spelt(one)}.`);
  },
  must_not_say: (wanted, { events }) =>
    wanted.flatMap((one) => {
      const turn = agentTurns(events).find(({ text }) => isSaid(one, text));
      return turn ? [`The agent said ${spelt(one)}: ${quote(turn.text)}`] : [];
    }),
  must_call: (wanted, { events }) => wanted.flatMap((one) => missingCall(one, ofType(events, 'tool_call'))),
  must_not_call: (wanted, { events }) =>
    wanted.flatMap((one) => {
      const call = ofType(events, 'tool_call').find((made) => isWantedCall(one, made));
      return call ? [`The agent called ${call.name} with ${JSON.stringify(call.arguments)}.`] : [];
    }),
  order: (wanted, { events }) =>
    wanted.flatMap(({ first, then }) => {
      const later = happened(then, events);
      if (!later) return [];
      const earlier = happened(first, events);
      const isBefore =
        earlier && (earlier.atMs < later.atMs || (earlier.atMs === later.atMs && earlier.index < later.index));
      return isBefore ? [] : [`${capital(momentSentence(then))} before ${momentSentence(first)}.`];
    }),
  max_turns: (most, { events }) => {
    const turns = agentTurns(events).length;
    return turns > most ? [`The agent spoke ${turns} times, more than ${most}.`] : [];
  },
  max_words: (most, { events }) =>
    agentTurns(events)
      .filter(({ text }) => countWords(text) > most)
      .map(({ text }) => `The agent said ${countWords(text)} words in one turn, more than ${most}: ${quote(text)}`),
  max_seconds: (most, { durationMs }) =>
    durationMs > most * 1_000 ? [`The conversation took ${(durationMs / 1_000).toFixed(1)} s, more than ${most}.`] : [],
  ends: (wanted, { end }) => endFailure(wanted, end?.cause),
  path: (wanted, { events }) => {
    const { path } = flowOf(events);
    return isDeepStrictEqual(path, wanted) ? [] : [`The path was ${pathSentence(path)}, not ${pathSentence(wanted)}.`];
  },
  values: (wanted, { events }) => {
    const { values } = flowOf(events);
    return Object.entries(wanted).flatMap(([name, value]) => {
      const actual = values.get(name) ?? null;
      return isPartOf(value, actual)
        ? []
        : [`The value ${name} is ${quote(spell(actual))}, not ${quote(spell(value))}.`];
    });
  },
  audio: (limits, conversation) => audioFailures(limits, conversation),
};

function audioFailures(limits: AudioLimits, { heard, call }: Conversation): string[] {
  if (!heard) return [];
  const slowest = Math.max(0, ...heard.responses);
  const stubborn = Math.max(0, ...heard.interruptions);
  const isOver = (value: number, limit: number | undefined): boolean => limit !== undefined && value > limit;
  return [
    ...(isOver(slowest, limits.response_ms)
      ? [`The agent answered after ${slowest} ms, more than ${limits.response_ms}.`]
      : []),
    ...(isOver(heard.longest_silence_ms, limits.silence_ms)
      ? [`Neither side spoke for ${heard.longest_silence_ms} ms, more than ${limits.silence_ms}.`]
      : []),
    ...(isOver(stubborn, limits.interruption_ms)
      ? [`The agent spoke for ${stubborn} ms after the caller had interrupted it, more than ${limits.interruption_ms}.`]
      : []),
    ...(isOver(heard.talked_over, limits.talks_over)
      ? [`The agent began to speak over the caller ${heard.talked_over} times, more than ${limits.talks_over}.`]
      : []),
    ...(limits.mos !== undefined && (heard.mos ?? 0) < limits.mos
      ? [`The agent's audio has a mean opinion score of ${heard.mos ?? 'none'}, less than ${limits.mos}.`]
      : []),
    ...(limits.recording !== undefined && call && call.recorded !== limits.recording
      ? [`The call has ${call.recorded ? 'a' : 'no'} recording.`]
      : []),
  ];
}

/** The rules of a judge without its rubric. The patterns of a rule share one bound (10 ms). */
export const judgeByRules = (judge: JudgeSettings, conversation: Conversation): CheckResult[] =>
  (Object.keys(RULES) as RuleName[])
    .filter((name) => judge[name] !== undefined)
    .map((name) => {
      const failures = bound(() => failuresOf(name, judge[name], conversation)) ?? [
        'The patterns are too large for this conversation.',
      ];
      return { name, passed: failures.length === 0, failures };
    });

const failuresOf = <Name extends RuleName>(
  name: Name,
  wanted: JudgeSettings[Name],
  conversation: Conversation,
): string[] => (wanted === undefined ? [] : RULES[name](wanted as Wanted[Name], conversation));

const spell = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
const pathSentence = (path: readonly string[]): string => (path.length === 0 ? 'empty' : path.join(', '));

const wordsOf = (events: readonly SessionEvent[]): string =>
  agentTurns(events)
    .map(({ text }) => text)
    .join(' ');

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Also in scripts without spaces. */
const countWords = (text: string): number => [...WORDS.segment(text)].filter(({ isWordLike }) => isWordLike).length;

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
