import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { SandboxProvider, SandboxServer } from '@app/sandbox';
import { decode, type MediaSession } from '@app/telephony';
import { setTimeout as delay } from 'node:timers/promises';
import { speech } from '../test/test-call.js';
import { twoEnds } from '../test/two-ends.js';
import { AgentSession } from './agent-session.js';
import { BUILTIN_TOOLS, ToolBox, type VoiceTool } from './tool-box.js';
import { systemClock } from './clock.js';
import type { SessionEnd, SessionEvent } from './session-events.js';
import { peakOf } from './speech/voice.js';
import { transcriptOf } from './transcript.js';

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

/** The time of the cut: within the audio of a response, or during the call. */
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

/** All calls run at the same time, because they mostly wait. */
beforeAll(async () => {
  server = await SandboxServer.start({ speech });
  const words = await userWords();
  const finished = await Promise.all(
    CUTS.map(async ([name, fault], i) => {
      // Twenty calls do not begin in the same millisecond.
      await delay(i * 25);
      return [name, await storyOf(fault, words)] as const;
    }),
  );
  for (const [name, story] of finished) stories.set(name, story);
}, 60_000);

afterAll(async () => {
  await Promise.all(opened.map((session) => session.close()));
  await server.close();
});

async function userWords(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const words = speech.say('Where is my order, please?', { codec: 'PCMA' }, new AbortController().signal);
  for await (const { audio } of words) pieces.push(audio);
  return Buffer.concat(pieces);
}

async function storyOf(fault: object, words: Buffer): Promise<Story> {
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
    const wasLost = story.lostAt >= 0 && story.heard.length > story.lostAt + MAX_SILENT_MS / FRAME_MS;
    if (story.heard.length >= LEAVES_AFTER && isQuiet && wasLost) session?.stop('user_hangup');
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
  const script = {
    rules: [
      { on: { speech: true }, call: { tool: 'find_order' } },
      { on: { tool: 'find_order' }, say: ANSWER },
    ],
    faults: [{ do: 'disconnect', connections: 1, ...fault }],
  };
  const parts = {
    provider: new SandboxProvider({ server, speech, clock: systemClock, script }),
    settings: { agent: { name: 'Ada', instructions: '', greeting: GREETING } },
    speech,
    log: createLog({ level: 'silent', role: 'test' }),
  };
  await AgentSession.prepare(parts, new AbortController().signal);
  session = new AgentSession({
    ...parts,
    call: { callId: 'c', direction: 'outbound', to: 'sip:tea@localhost', from: '+15550001111', metadata: { fault } },
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

describe('a provider connection lost over real sockets and RTP', () => {
  it.each(CUTS)('a connection lost %s causes less than a second of silence, and loses and repeats nothing', (name) => {
    const story = stories.get(name)!;
    const count = (type: SessionEvent['type']) => story.events.filter((event) => event.type === type).length;
    const turns = transcriptOf(story.events);
    const agent = turns.filter(({ role }) => role === 'agent').map(({ text }) => text);
    expect(count('provider_lost')).toBe(1);
    expect(count('provider_restored')).toBe(1);
    expect(silenceAfterLoss(story)).toBeLessThanOrEqual(MAX_SILENT_MS);
    expect(agent.filter((text) => text.startsWith('Hello, this is'))).toHaveLength(1);
    expect(agent.filter((text) => text.startsWith('Your order')).length).toBeLessThanOrEqual(1);
    expect(story.toolRuns).toBe(1);
    expect(count('tool_call')).toBe(1);
    expect(turns.filter(({ role }) => role === 'callee')).toHaveLength(1);
    expect(story.end).toEqual({ endedBy: 'callee', cause: 'normal_clearing' });
  });
});
