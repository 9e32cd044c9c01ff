import { describe, expect, it } from '@jest/globals';
import { SILENT_FRAME } from '../../test/stepped-line.js';
import { TalkingProvider } from '../../test/talking-provider.js';
import { answeredCall, userSpeech, type TestCall } from '../../test/test-call.js';
import type { VoiceTool } from '../tools/tool-box.js';
import { transcriptOf } from '../transcript/transcript.js';

const GREETING = 'Good day and welcome, this is a greeting of a few seconds, which is said once and no more.';
const SPOKEN_MS = 1_800;
/** Silence after which the provider detects the end of the user's turn. */
const TURN_DETECTION_MS = 600;

/** A complete call whose connection is cut once, `afterMs` into one part, and reconnects at the first attempt. */
type Part = 'the greeting' | 'speech of the user' | 'a tool' | 'an answer';

const CUTS: [Part, number][] = [
  ...[20, 100, 200, 400, 1_200].map((ms): [Part, number] => ['the greeting', ms]),
  ...[100, 300, 700, 1_300, 1_740].map((ms): [Part, number] => ['speech of the user', ms]),
  ...[20, 200, 600, 1_000, 1_900].map((ms): [Part, number] => ['a tool', ms]),
  ...[20, 60, 140, 300, 900].map((ms): [Part, number] => ['an answer', ms]),
];

async function story(part: Part, afterMs: number) {
  let runs = 0;
  const holder: { provider?: TalkingProvider } = {};
  const tool: VoiceTool = {
    name: 'look_up',
    description: 'Looks up a parcel.',
    parameters: { type: 'object' },
    run: () => new Promise((resolve) => (runs++, call.line.after(2_000, () => resolve({ parcel: 'in Bonn' })))),
  };
  const call = answeredCall({
    provider: (line) => (holder.provider = new TalkingProvider(line)),
    tools: [tool],
    settings: { agent: { name: 'Ada', instructions: '', greeting: GREETING }, idle: { afterMs: 60_000 } },
  });
  const provider = holder.provider!;
  const { line } = call;
  const words = await userSpeech(SPOKEN_MS);
  const plan = { cutAt: Infinity, wasCut: false, hadMoreToSay: false };
  const began = (here: Part) => {
    if (here === part) plan.cutAt = line.now() + afterMs;
  };
  const step = async (frame: Buffer = SILENT_FRAME) => {
    if (!plan.wasCut && line.now() >= plan.cutAt) {
      plan.wasCut = true;
      plan.hadMoreToSay = provider.last.cut();
    }
    await line.run(20, frame);
  };
  const until = async (condition: () => boolean) => {
    const limit = line.now() + 20_000;
    while (!condition()) {
      if (line.now() > limit) throw new Error(`The call makes no progress: ${JSON.stringify(call.events)}`);
      await step();
    }
  };
  const speak = async () => {
    for (let at = 0; at < words.length; at += 160) await step(words.subarray(at, at + 160));
  };
  const heard = (n: number) => transcriptOf(call.events).filter(({ role }) => role === 'agent').length >= n;
  began('the greeting');
  await until(() => heard(1));
  await until(() => quietFor(line.sent, 1_500));
  began('speech of the user');
  await speak();
  await until(() => runs === 1);
  began('a tool');
  await until(() => provider.connections.some(({ received }) => received.some((text) => text.includes('in Bonn'))));
  await until(() => call.line.queuedMs > 0);
  began('an answer');
  await until(() => quietFor(line.sent, 2_000) && plan.wasCut);
  await speak();
  await until(() => call.of('turn').filter(({ role }) => role === 'callee').length === 2);
  await until(() => quietFor(line.sent, 1_500));
  call.session.stop('user_hangup');
  return { call, provider, runs, hadMoreToSay: plan.hadMoreToSay };
}

const isSilent = (frame: Buffer): boolean => frame.equals(SILENT_FRAME);
const quietFor = (sent: Buffer[], ms: number): boolean => sent.slice(-ms / 20).every(isSilent);

describe('a lost provider connection', () => {
  it.each(CUTS)(
    'a connection lost during %s after %d ms loses nothing, repeats nothing and causes less than a second of silence',
    async (part, afterMs) => {
      const { call, provider, runs, hadMoreToSay } = await story(part, afterMs);
      expect(call.of('provider_restored')).toHaveLength(1);
      expect(provider.connections).toHaveLength(2);
      const turns = transcriptOf(call.events);
      const agent = turns.filter(({ role }) => role === 'agent').map(({ text }) => text);
      expect(agent.filter((text) => text.startsWith('Good day'))).toHaveLength(1);
      const sentences = agent.flatMap((text) => [...text.matchAll(/Sentence \d+/g)].map(String));
      expect(sentences).toEqual([...new Set(sentences)]);
      const user = turns.filter(({ role }) => role === 'callee');
      expect(user.map(({ text }) => text)).toEqual([expect.stringMatching(/^Heard/), expect.stringMatching(/^Heard/)]);
      for (const { started_ms: from, ended_ms: to } of user) {
        expect(Math.abs(to - from - SPOKEN_MS)).toBeLessThanOrEqual(260);
      }
      expect(runs).toBe(1);
      expect(call.of('tool_call')).toMatchObject([{ ok: true }]);
      expect(provider.last.received.join(' ')).toContain('in Bonn');
      expect(silenceAfterLoss(call, hadMoreToSay)).toBeLessThanOrEqual(1_000);
    },
  );
});

/** The longest silence for the user: after the loss, after their own speech, or after the queued audio. */
function silenceAfterLoss(call: TestCall, hadMoreToSay: boolean): number {
  const lost = call.of('provider_lost')[0]?.at_ms ?? 0;
  const turns = transcriptOf(call.events);
  const spoken = turns.find(
    ({ role, started_ms, ended_ms }) => role === 'callee' && started_ms <= lost && ended_ms + TURN_DETECTION_MS >= lost,
  );
  if (hadMoreToSay && !spoken) {
    const agent = turns.filter(({ role }) => role === 'agent');
    const until = Math.max(lost, ...agent.filter((turn) => turn.started_ms <= lost).map((turn) => turn.ended_ms));
    return (agent.find((turn) => turn.started_ms > lost)?.started_ms ?? Infinity) - until;
  }
  const from = spoken ? spoken.ended_ms + TURN_DETECTION_MS : lost;
  const next = call.line.sent.slice(Math.ceil(from / 20)).findIndex((frame) => !isSilent(frame));
  return next < 0 ? Infinity : next * 20;
}
