import { TRANSCRIBER_NAMES } from '@app/common';
import { sipDestination } from '@app/telephony';
import { z } from 'zod';
import { type Moment, text, type WantedEnd } from './scenario-parts.js';
import type { JudgeSettings, ModelPersonaSettings, ScriptedPersonaSettings } from './tester-schema.js';

const MAX_URI_LENGTH = 255;
const MAX_KEYWORDS = 100;
/** The sandbox recognises the words of tester callers only. */
const VENDORS = TRANSCRIBER_NAMES.filter((name) => name !== 'sandbox');

const sipUri = text(MAX_URI_LENGTH).refine(isDialable, 'must be a SIP URI such as sip:agent@voice.example.com');

function isDialable(uri: string): boolean {
  try {
    sipDestination({ kind: 'sip', uri }, undefined);
    return true;
  } catch {
    return false;
  }
}

const transcriber = z.strictObject({
  provider: z.enum(VENDORS).describe('Vendor that recognises the words of the agent.'),
  model: text(200).optional().describe('Model; absent: the default of the vendor.'),
  language: text(35).optional().describe('Language of the agent and of the caller, such as `de`.'),
  keywords: z.array(text(100)).max(MAX_KEYWORDS).default([]).describe('Words that the agent is likely to say.'),
});

/** An agent outside of Trunkline: how it is called, and what recognises its words. The command line alone plays such scenarios. */
export const outsideFields = {
  target: sipUri.optional().describe('SIP URI of an agent outside of Trunkline.'),
  transcriber: transcriber.optional().describe('Recognises the words of the target.'),
};

interface OutsideScenario {
  target?: string;
  transcriber?: object;
  channel: string;
  direction: string;
  tools: string;
  mocks: object;
  metadata: object | null;
  variables: object | null;
  knowledge_base_ids: readonly number[] | null;
  guardrails?: unknown;
  no_guardrails?: unknown;
  steps: readonly {
    calls?: unknown;
    guardrails?: unknown;
    absent?: { calls?: unknown; guardrails?: unknown };
    ends?: WantedEnd;
  }[];
  persona?: ScriptedPersonaSettings | ModelPersonaSettings;
  judge?: JudgeSettings;
}

type Problem = [place: string, problem: string];

const FLOW = 'cannot be checked with a target: its flow is not known here';
const TOOLS = 'must be absent with a target: the tools of an agent outside of Trunkline are not known';
const CALL_FIELD = 'must be absent with a target: only agents of Trunkline have it';
const RECORDING = 'must be absent with a target: recordings of an agent outside of Trunkline are not known';
const ENDS = 'must be hangup, true or false with a target: other ends of an agent outside of Trunkline are not known';

/** What a scenario with a target lacks, and the expectations that nothing on the line can answer. */
export function outsideProblems(scenario: OutsideScenario): Problem[] {
  const { target, transcriber: ears, channel, direction } = scenario;
  if (target === undefined) return ears ? [['transcriber', 'needs a target']] : [];
  return [
    ...problemIf(channel !== 'sip', 'channel', 'must be sip with a target'),
    ...problemIf(direction !== 'inbound', 'direction', 'must be inbound with a target: the caller calls the agent'),
    ...problemIf(!ears, 'transcriber', 'is required with a target: it recognises the words of the agent'),
    ...problemIf(scenario.tools !== 'mock', 'tools', TOOLS),
    ...problemIf(Object.keys(scenario.mocks).length > 0, 'mocks', TOOLS),
    ...(['metadata', 'variables', 'knowledge_base_ids'] as const).flatMap((name) =>
      problemIf(scenario[name] !== null, name, CALL_FIELD),
    ),
    ...(['guardrails', 'no_guardrails'] as const).flatMap((name) =>
      problemIf(scenario[name] !== undefined, name, CALL_FIELD),
    ),
    ...scenario.steps.flatMap(({ calls, guardrails, absent, ends }, index) => [
      ...problemIf(guardrails !== undefined, `steps.${index}.guardrails`, CALL_FIELD),
      ...problemIf(absent?.guardrails !== undefined, `steps.${index}.absent.guardrails`, CALL_FIELD),
      ...problemIf(calls !== undefined, `steps.${index}.calls`, TOOLS),
      ...problemIf(absent?.calls !== undefined, `steps.${index}.absent.calls`, TOOLS),
      ...problemIf(isUnknownEnd(ends), `steps.${index}.ends`, ENDS),
    ]),
    ...problemIf(isToolGoal(scenario.persona), 'persona.goal', TOOLS),
    ...(scenario.judge ? judgeProblems(scenario.judge) : []),
  ];
}

function judgeProblems(judge: JudgeSettings): Problem[] {
  const { must_call, must_not_call, order = [], ends, audio, path, values } = judge;
  return [
    ...problemIf(must_call !== undefined, 'judge.must_call', TOOLS),
    ...problemIf(path !== undefined, 'judge.path', FLOW),
    ...problemIf(values !== undefined, 'judge.values', FLOW),
    ...problemIf(must_not_call !== undefined, 'judge.must_not_call', TOOLS),
    ...problemIf(
      order.some(({ first, then }) => isToolMoment(first) || isToolMoment(then)),
      'judge.order',
      TOOLS,
    ),
    ...problemIf(isUnknownEnd(ends), 'judge.ends', ENDS),
    ...problemIf(audio?.recording !== undefined, 'judge.audio.recording', RECORDING),
  ];
}

const problemIf = (isWrong: boolean, place: string, problem: string): Problem[] => (isWrong ? [[place, problem]] : []);

const isToolMoment = (moment: Moment): boolean => 'calls' in moment;

const isToolGoal = (persona: OutsideScenario['persona']): boolean =>
  persona !== undefined && 'rules' in persona && persona.goal !== undefined && isToolMoment(persona.goal);

/** A phone hears that the agent hung up, and nothing else. */
const isUnknownEnd = (ends: WantedEnd | undefined): boolean =>
  Array.isArray(ends) && ends.some((cause) => cause !== 'agent_hangup');

/** Real recognisers hear speech: tones beside it would disturb them, so that a target hears them only if the profile says so. */
export function withRealVoice(profile: unknown): unknown {
  const own = typeof profile === 'string' ? { like: profile } : profile;
  if (own !== undefined && (typeof own !== 'object' || own === null)) return profile;
  return { voice: 'program', carries_words: false, ...own };
}
