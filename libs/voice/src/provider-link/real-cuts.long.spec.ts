import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { readScript, sandboxLegs, SandboxProvider, SandboxServer } from '@app/sandbox';
import { decode, type MediaSession } from '@app/telephony';
import { setTimeout as delay } from 'node:timers/promises';
import { speech } from '../../test/test-call.js';
import { twoEnds } from '../../test/two-ends.js';
import { AgentSession } from '../agent-session.js';
import { BUILTIN_TOOLS, ToolBox, type VoiceTool } from '../tools/tool-box.js';
import { systemClock } from '../clock.js';
import { registerSandboxLegs } from '../providers/pipeline/leg-registry.js';
import { LazyProvider } from '../providers/registry.js';
import type { VoiceProvider } from '../providers/voice-provider.js';
import type { SessionEnd, SessionEvent } from '../session-events.js';
import { peakOf } from '../speech/voice.js';
import { transcriptOf } from '../transcript/transcript.js';

const PORTS = { min: 42_200, max: 42_399 };
const FRAME_MS = 20;
const GREETING = 'Hello, this is the tea house speaking.';
const ANSWER = 'Your order was found, it will be with you tomorrow between nine and eleven.';
/** The user speaks at the first silence after the first time, and hangs up at the first silence after the second. */
const SPEAKS_AFTER = 3_600 / FRAME_MS;
const LEAVES_AFTER = 10_500 / FRAME_MS;
const QUIET_FRAMES = 25;
/** Of the sandbox server. */
const TURN_DETECTION_MS = 700;
const TOOL_MS = 1_500;
const MAX_SILENT_MS = 1_000;
/** Longer silence without a word of comfort sounds like a dead line. */
const DEAD_LINE_MS = 3_000;

/** Of the Realtime protocol and of Gemini. The time of the cut: within the audio of a response, or during the call. */
const CUTS: [string, object][] = [
  ...[100, 500, 900, 1_300, 1_700].map((ms): [string, object] => [
    `${ms} ms into the greeting`,
    { in_response: 1, after_audio_ms: ms },
  ]),
  ...[3_700, 4_000, 4_300, 4_600, 4_900].map((ms): [string, object] => [
    `about when the user speaks, ${ms} ms into the call`,
    { after_ms: ms },
  ]),
  ...[0, 6_300, 6_600, 6_900, 7_200].map((ms): [string, object] => [
    `during a tool or after it, ${ms} ms into the call`,
    { after_ms: ms, after_response: 2 },
  ]),
  // The third was the filler.
  ...[20, 100, 400, 900, 2_000].map((ms): [string, object] => [
    `${ms} ms into an answer`,
    { in_response: 4, after_audio_ms: ms },
  ]),
];

/** Fewer at a time than above: these convert audio, or speak with three servers. */
const GEMINI_CUTS: [string, object][] = [
  ['into the greeting', { in_response: 1, after_audio_ms: 900 }],
  ['about when the user speaks', { after_ms: 4_300 }],
  ['during a tool', { after_ms: 0, after_response: 2 }],
  ['in an answer', { in_response: 3, after_audio_ms: 400 }],
];

/** The second request of the model follows the tool, and the first sentence of the synthesizer is the greeting. */
const LEG_FAULTS: [string, object][] = [
  ['a model that is cut before the tool', { model: [{ do: 'disconnect', after: 0, in_request: 1 }] }],
  ['a model that stalls in the answer', { model: [{ do: 'stall', after: 6, in_request: 2 }] }],
  ['a slow model', { model: [{ do: 'slow', delay_ms: 3_500, in_request: 2 }] }],
  ['a transcriber that is cut in the speech', { transcriber: [{ do: 'disconnect', after: 4_600, in_request: 1 }] }],
  ['a transcriber that sends garbage', { transcriber: [{ do: 'garbage', after: 4_600, in_request: 1 }] }],
];

interface Story {
  events: SessionEvent[];
  end: SessionEnd;
  /** Whether each received frame was loud. */
  heard: boolean[];
  /** Counted in frames received by the phone. */
  lostAt: number;
  spokeAt: number;
  spokenUntil: number;
  toolRuns: number;
}

const opened: MediaSession[] = [];
const stories = new Map<string, Story>();
let server: SandboxServer;
const servers: SandboxServer[] = [];

beforeAll(async () => {
  registerSandboxLegs(() => Promise.resolve(sandboxLegs));
  server = await SandboxServer.start({ speech });
});

/** The calls run at the same time, because they mostly wait. */
async function run(calls: [string, () => VoiceProvider | Promise<VoiceProvider>][]): Promise<void> {
  const words = await userWords();
  const finished = await Promise.all(
    calls.map(async ([name, provider], i) => {
      // The calls do not begin in the same millisecond.
      await delay(i * 25);
      return [name, await storyOf(await provider(), words)] as const;
    }),
  );
  for (const [name, story] of finished) stories.set(name, story);
}

afterAll(async () => {
  await Promise.all(opened.map((session) => session.close()));
  await Promise.all([server, ...servers].map((one) => one.close()));
});

async function userWords(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const words = speech.say('Where is my order, please?', { codec: 'PCMA' }, new AbortController().signal);
  for await (const { audio } of words) pieces.push(audio);
  return Buffer.concat(pieces);
}

const rules = [
  { on: { speech: true }, call: { tool: 'find_order' } },
  { on: { text: 'order' }, call: { tool: 'find_order' } },
  { on: { tool: 'find_order' }, say: ANSWER },
];
const cut = (fault: object): object => ({ do: 'disconnect', connections: 1, ...fault });

const realtime = (fault: object): VoiceProvider =>
  new SandboxProvider({ server, speech, clock: systemClock, script: { rules, faults: [cut(fault)] } });

/** Gemini has no script of its agent: each call has a server. */
async function gemini(fault: object): Promise<VoiceProvider> {
  const own = await SandboxServer.start({ speech, script: readScript({ rules, faults: [cut(fault)] }) });
  servers.push(own);
  const settings = { gemini: { url: 'sandbox', isSandbox: true }, sandbox: { url: own.url, key: own.key } };
  return new LazyProvider({ name: 'gemini-live', options: {} }, { speech, clock: systemClock, settings });
}

function pipeline(legs: object): VoiceProvider {
  const script = { rules, legs: { hears: ['Where is my order, please?'], ...legs } };
  const settings = { sandbox: { url: server.url, key: server.key } };
  return new LazyProvider({ name: 'pipeline', options: { script } }, { speech, clock: systemClock, settings });
}

async function storyOf(provider: VoiceProvider, words: Buffer): Promise<Story> {
  const { agentSide, phone } = await line();
  let session: AgentSession | undefined;
  const story = {
    events: [] as SessionEvent[],
    heard: [] as boolean[],
    lostAt: -1,
    spokeAt: 0,
    spokenUntil: 0,
    toolRuns: 0,
  };
  phone.onFrame((frame) => {
    story.heard.push(peakOf(decode(phone.codec, frame)) >= 300);
    const isQuiet = !story.heard.slice(-QUIET_FRAMES).includes(true);
    if (story.spokeAt === 0 && story.heard.length >= SPEAKS_AFTER && isQuiet) {
      story.spokeAt = story.heard.length;
      phone.write(words, () => (story.spokenUntil = story.heard.length));
    }
    if (story.heard.length < LEAVES_AFTER || !isQuiet) return;
    const isAnswered = () => transcriptOf(story.events).some(({ text }) => text.startsWith('Your order'));
    const longestMs = provider.name === 'sandbox' ? MAX_SILENT_MS : DEAD_LINE_MS;
    const wasLost = story.lostAt >= 0 && story.heard.length > story.lostAt + longestMs / FRAME_MS;
    if (wasLost || (provider.name === 'pipeline' && isAnswered())) session?.stop('user_hangup');
  });
  const tool: VoiceTool = {
    name: 'find_order',
    description: 'Finds an order.',
    parameters: { type: 'object' },
    run: async () => {
      story.toolRuns++;
      await delay(TOOL_MS);
      return { order: 'found' };
    },
  };
  const parts = {
    provider,
    settings: { agent: { name: 'Ada', instructions: '', greeting: GREETING } },
    speech,
    log: createLog({ level: 'silent', role: 'test' }),
  };
  await AgentSession.prepare(parts, new AbortController().signal);
  session = new AgentSession({
    ...parts,
    call: { callId: 'c', direction: 'outbound', to: 'sip:tea@localhost', from: '+15550001111', metadata: {} },
    tools: new ToolBox([...BUILTIN_TOOLS, tool]),
    onEvent: (event) => {
      story.events.push(event);
      if (event.type === 'provider_lost' && story.lostAt < 0) story.lostAt = story.heard.length;
    },
  });
  const end = await session.start(agentSide);
  return { ...story, end };
}

async function line(): Promise<{ agentSide: MediaSession; phone: MediaSession }> {
  const ends = await twoEnds(PORTS);
  opened.push(ends.agentSide, ends.phone);
  return ends;
}

/** The longest silence at the phone, after the loss or after its own speech. */
function silenceAfterLoss({ heard, lostAt, spokeAt, spokenUntil }: Story): number {
  const answerFrom = spokenUntil + TURN_DETECTION_MS / FRAME_MS;
  const from = lostAt >= spokeAt && lostAt < answerFrom ? answerFrom : lostAt;
  const next = heard.slice(from).findIndex(Boolean);
  return next < 0 ? Infinity : next * FRAME_MS;
}

const agentTexts = ({ events }: Story): string[] =>
  transcriptOf(events).flatMap(({ role, text }) => (role === 'agent' ? [text] : []));

const count = ({ events }: Story, type: SessionEvent['type']): number =>
  events.filter((event) => event.type === type).length;

function expectOneOfEach(story: Story): void {
  const agent = agentTexts(story);
  expect(agent.filter((text) => text.startsWith('Hello, this is'))).toHaveLength(1);
  expect(agent.filter((text) => text.startsWith('Your order')).length).toBeLessThanOrEqual(1);
  expect(story.toolRuns).toBe(1);
  expect(count(story, 'tool_call')).toBe(1);
  expect(story.end).toEqual({ endedBy: 'callee', cause: 'normal_clearing' });
}

function restoredStory(name: string): Story {
  const story = stories.get(name)!;
  expect(count(story, 'provider_lost')).toBe(1);
  expect(count(story, 'provider_restored')).toBe(1);
  expectOneOfEach(story);
  expect(transcriptOf(story.events).filter(({ role }) => role === 'callee')).toHaveLength(1);
  return story;
}

describe('a lost connection with the Realtime protocol, over real sockets and RTP', () => {
  beforeAll(() => run(CUTS.map(([name, fault]) => [name, () => realtime(fault)])), 120_000);

  it.each(CUTS)('a connection lost %s causes less than a second of silence, and loses and repeats nothing', (name) => {
    expect(silenceAfterLoss(restoredStory(name))).toBeLessThanOrEqual(MAX_SILENT_MS);
  });
});

describe('a call with another kind of provider over real sockets and RTP', () => {
  beforeAll(
    () =>
      run([
        ...GEMINI_CUTS.map(([name, fault]): [string, () => Promise<VoiceProvider>] => [name, () => gemini(fault)]),
        ...LEG_FAULTS.map(([name, legs]): [string, () => VoiceProvider] => [name, () => pipeline(legs)]),
      ]),
    120_000,
  );

  it.each(GEMINI_CUTS)(
    'a connection of Gemini lost %s causes less than 3 s of silence, and loses and repeats nothing',
    (name) => {
      expect(silenceAfterLoss(restoredStory(name))).toBeLessThanOrEqual(DEAD_LINE_MS);
    },
  );

  it.each(LEG_FAULTS)('%s: the user waits for 3 s at most without a word, and hears everything once', (name) => {
    const story = stories.get(name)!;
    expect(count(story, 'provider_lost')).toBe(0);
    expect(agentTexts(story).filter((text) => text.startsWith('Your order'))).toHaveLength(1);
    expect(longestWait(story)).toBeLessThanOrEqual(DEAD_LINE_MS);
    expectOneOfEach(story);
  });
});

/** The longest silence at the phone in the greeting, and from the end of the user's speech to the last word of the answer. */
function longestWait({ heard, spokeAt, spokenUntil }: Story): number {
  const parts = [heard.slice(0, spokeAt), heard.slice(spokenUntil)].map((part) =>
    part.slice(0, part.lastIndexOf(true)),
  );
  let longest = 0;
  for (const part of parts)
    for (let at = 0, since = 0; at < part.length; at++) {
      if (part[at]) since = at + 1;
      longest = Math.max(longest, at + 1 - since);
    }
  return longest * FRAME_MS;
}
