import { describe, expect, it } from '@jest/globals';
import {
  type ScriptedFault,
  ScriptedModel,
  scriptedPipeline,
  type ScriptedStream,
  ScriptedSynthesizer,
  ScriptedTranscriber,
} from '../../../test/scripted-legs.js';
import { SILENT_FRAME } from '../../../test/stepped-line.js';
import { TalkingProvider } from '../../../test/talking-provider.js';
import { answeredCall, type TestCall, userSpeech } from '../../../test/test-call.js';
import { transcriptOf } from '../../transcript/transcript.js';
import { ProviderBusy, ProviderUnavailable, type VoiceProvider } from '../voice-provider.js';

const GREETING = 'Hello, this is the tea house speaking.';
const ANSWER = 'Your order comes tomorrow at nine. It is a pot of green tea, and a cake with it.';
const COMFORT = 'One moment, please.';
/** Longer silence sounds like a dead line. */
const MAX_SILENT_MS = 3_000;

const fail: ScriptedFault = { do: 'fail' };
const stall: ScriptedFault = { do: 'stall' };
const refused: ScriptedFault = { do: 'fail', error: new ProviderUnavailable('The key is not valid.') };
const busy: ScriptedFault = { do: 'fail', error: new ProviderBusy('Later, please.', 600) };
const busyForLong: ScriptedFault = { do: 'fail', error: new ProviderBusy('Later, please.', 60_000) };
const cutAfter = (after: number): ScriptedFault => ({ do: 'fail', after });
const stallAfter = (after: number): ScriptedFault => ({ do: 'stall', after });

interface Faults {
  /** By attempt of the first leg of each kind. */
  ear?: (ScriptedFault | undefined)[];
  model?: (ScriptedFault | undefined)[];
  voice?: (ScriptedFault | undefined)[];
  /** The stream of the transcriber dies, or becomes deaf, this long after its beginning. */
  stream?: { ms: number; do: 'cut' | 'deaf' };
  fallbackLegs?: boolean;
  answer?: string;
  fallbacks?: (line: TestCall['line']) => VoiceProvider[];
}

async function story(faults: Faults) {
  const legs: { models: ScriptedModel[]; voices: ScriptedSynthesizer[]; ears: ScriptedTranscriber[] } = {
    models: [],
    voices: [],
    ears: [],
  };
  const hears = ['Where is my order?'];
  const next: { fallbacks?: VoiceProvider[] } = {};
  const call = answeredCall({
    settings: { agent: { name: 'Ada', instructions: '', greeting: GREETING }, idle: { afterMs: 60_000 } },
    provider: (line) => {
      next.fallbacks = faults.fallbacks?.(line);
      const count = faults.fallbackLegs ? 2 : 1;
      const faultsOf = (list: (ScriptedFault | undefined)[] | undefined, at: number) => (at === 0 ? list : undefined);
      for (let at = 0; at < count; at++) {
        legs.ears.push(new ScriptedTranscriber(faultsOf(faults.ear, at), `ear-${at}`, hears));
        legs.models.push(
          new ScriptedModel(line, () => faults.answer ?? ANSWER, faultsOf(faults.model, at), undefined, `model-${at}`),
        );
        legs.voices.push(new ScriptedSynthesizer(line, faultsOf(faults.voice, at), {}, `voice-${at}`));
      }
      legs.ears[0]!.onStream = (stream) => {
        if (legs.ears[0]!.streams.length === 1 && faults.stream) break_(stream, faults.stream);
      };
      return scriptedPipeline(line, { transcribers: legs.ears, models: legs.models, synthesizers: legs.voices });
    },
    fallbacks: lazy(() => next.fallbacks ?? []),
  });
  const { line, end } = call;
  const agentSaid = () =>
    transcriptOf(call.events)
      .filter(({ role }) => role === 'agent')
      .map(({ text }) => text);
  await line.until(() => agentSaid().includes(GREETING) || end() !== undefined, 30_000);
  await line.run(600);
  const spokeFrom = line.sent.length;
  if (end() === undefined) await line.run(900, await userSpeech(900));
  const spokeUntil = line.sent.length;
  const isAnswered = () => agentSaid().some((text) => text.endsWith('with it.') || text.startsWith('Sentence'));
  await line.until(() => isAnswered() || end() !== undefined, 60_000);
  await line.run(2_000);
  return { ...call, agentSaid, silentMs: () => longestSilence(line.sent, spokeFrom, spokeUntil) };
}

/** The stream ends, or recognises nothing any more. */
function break_(stream: ScriptedStream, { ms, do: kind }: NonNullable<Faults['stream']>): void {
  const { onSend } = stream;
  stream.onSend = (frame) => {
    if (stream.sentMs < ms) return onSend(frame);
    if (kind === 'cut') stream.cut();
  };
}

/** The providers are known only after the call was built. */
const lazy = (providers: () => VoiceProvider[]): VoiceProvider[] => [
  {
    name: 'next',
    capabilities: { cancel: true, truncate: true, transcribesUser: true },
    prepare: () => Promise.resolve(),
    connect: (...args) => {
      const [provider] = providers();
      return provider
        ? provider.connect(...args)
        : Promise.reject(new ProviderUnavailable('There is no other provider.'));
    },
  },
];

/** The longest silence until the last audio of the agent. The user speaks in between. */
function longestSilence(sent: readonly Buffer[], spokeFrom: number, spokeUntil: number): number {
  const loud = sent.map((frame, at) => !frame.equals(SILENT_FRAME) || (at >= spokeFrom && at < spokeUntil));
  let [longest, current] = [0, 0];
  for (const isLoud of loud.slice(0, loud.lastIndexOf(true))) {
    current = isLoud ? 0 : current + 20;
    longest = Math.max(longest, current);
  }
  return longest;
}

const CASES: [string, Faults][] = [
  ['the model is cut before its first word', { model: [fail] }],
  ['the model stalls before its first word', { model: [stall] }],
  ['the model is cut in its first words', { model: [cutAfter(2)] }],
  ['the model is cut in its second sentence', { model: [cutAfter(10)] }],
  ['the model stalls after a short word', { model: [stallAfter(2)], answer: `Yes. ${ANSWER}` }],
  ['the model stalls in its second sentence', { model: [stallAfter(10)] }],
  ['the model asks for a short wait', { model: [busy] }],
  ['the model is cut twice', { model: [fail, fail], fallbackLegs: true }],
  ['the model stalls twice', { model: [stall, stall], fallbackLegs: true }],
  ['the model is cut twice in its second sentence', { model: [cutAfter(9), cutAfter(2)], fallbackLegs: true }],
  ['the model refuses', { model: [refused], fallbackLegs: true }],
  ['the model asks for a long wait', { model: [busyForLong], fallbackLegs: true }],
  ['the synthesizer is cut before the greeting', { voice: [fail] }],
  ['the synthesizer stalls before the greeting', { voice: [stall] }],
  ['the synthesizer is cut in the greeting', { voice: [cutAfter(8)] }],
  ['the synthesizer stalls in the greeting', { voice: [stallAfter(8)] }],
  ['the synthesizer is cut before an answer', { voice: [undefined, fail] }],
  ['the synthesizer stalls before an answer', { voice: [undefined, stall] }],
  ['the synthesizer is cut in an answer', { voice: [undefined, cutAfter(12)] }],
  ['the synthesizer stalls in an answer', { voice: [undefined, stallAfter(3)] }],
  ['the synthesizer refuses', { voice: [refused], fallbackLegs: true }],
  ['the synthesizer is cut twice in an answer', { voice: [undefined, cutAfter(6), cutAfter(6)], fallbackLegs: true }],
  ['the synthesizer stalls twice', { voice: [undefined, stall, stall], fallbackLegs: true }],
  ['the transcriber does not open at once', { ear: [fail] }],
  ['the transcriber stalls while it opens', { ear: [stall] }],
  ['the transcriber refuses', { ear: [refused], fallbackLegs: true }],
  ['the transcriber is cut before the speech', { stream: { ms: 1_000, do: 'cut' } }],
  ['the transcriber is cut in the speech', { stream: { ms: 3_400, do: 'cut' } }],
  [
    'the transcriber is cut in the speech and does not open again',
    { stream: { ms: 3_400, do: 'cut' }, ear: [undefined, fail], fallbackLegs: true },
  ],
  ['the transcriber is deaf', { stream: { ms: 0, do: 'deaf' } }],
  ['the transcriber becomes deaf in the speech', { stream: { ms: 3_200, do: 'deaf' } }],
];

describe('a leg of the pipeline that fails', () => {
  it.each(CASES)('%s: the user hears everything once, and no silence of three seconds', async (_, faults) => {
    const { agentSaid, events, of, line, session, end, silentMs } = await story(faults);
    const said = agentSaid().filter((text) => text !== COMFORT);
    expect(said).toEqual([GREETING, faults.answer ?? ANSWER]);
    expect(
      transcriptOf(events)
        .filter(({ role }) => role === 'callee')
        .map(({ text }) => text),
    ).toEqual(['Where is my order?']);
    expect(silentMs()).toBeLessThanOrEqual(MAX_SILENT_MS);
    expect(of('provider_lost')).toEqual([]);
    session.stop('user_hangup');
    await line.run(20);
    expect(end()).toEqual({ endedBy: 'callee', cause: 'normal_clearing' });
    expect(line.pendingTimers).toBe(0);
  });

  const all = (fault: ScriptedFault) => Array.from({ length: 40 }, () => fault);
  const DEAD: [string, Faults][] = [
    ['model is cut', { model: all(fail) }],
    ['model stalls', { model: all(stall) }],
    ['model refuses', { model: all(refused) }],
    ['synthesizer is cut', { voice: all(fail) }],
    ['synthesizer stalls', { voice: all(stall) }],
    ['synthesizer is cut in each sentence', { voice: [undefined, ...all(cutAfter(0))] }],
    ['transcriber refuses', { ear: all(refused) }],
    ['transcriber stalls', { ear: all(stall) }],
    ['transcriber is cut', { ear: all(fail) }],
  ];

  it.each(DEAD)('the %s for good: the agent apologises and hangs up', async (_, faults) => {
    const { agentSaid, line, end, silentMs } = await story(faults);
    await line.until(() => end() !== undefined, 30_000);
    expect(end()).toEqual({ endedBy: 'system', cause: 'agent_provider_error' });
    expect(agentSaid().at(-1)).toContain('technical problem');
    expect(new Set(agentSaid().filter((text) => text !== COMFORT)).size).toBe(
      agentSaid().filter((text) => text !== COMFORT).length,
    );
    expect(silentMs()).toBeLessThanOrEqual(MAX_SILENT_MS);
    await line.run(200);
    expect(line.pendingTimers).toBe(0);
  });

  it.each(DEAD)('the %s for good: the next provider continues with the history', async (_, faults) => {
    const next: { provider?: TalkingProvider } = {};
    const { agentSaid, line, end, of, session, silentMs } = await story({
      ...faults,
      fallbacks: (clock) => [(next.provider = new TalkingProvider(clock))],
    });
    expect(end()).toBeUndefined();
    expect(of('provider_restored').length).toBeGreaterThan(0);
    expect(agentSaid().filter((text) => text.startsWith('Hello, this'))).toHaveLength(1);
    expect(agentSaid().some((text) => text.startsWith('Sentence 1'))).toBe(true);
    expect(silentMs()).toBeLessThanOrEqual(MAX_SILENT_MS);
    session.stop('user_hangup');
    await line.run(20);
    expect(line.pendingTimers).toBe(0);
  });
});
