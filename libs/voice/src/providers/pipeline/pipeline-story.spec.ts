import { describe, expect, it } from '@jest/globals';
import {
  ScriptedModel,
  ScriptedSynthesizer,
  ScriptedTranscriber,
  scriptedPipeline,
} from '../../../test/scripted-legs.js';
import { answeredCall, userSpeech } from '../../../test/test-call.js';
import type { VoiceTool } from '../../tools/tool-box.js';
import { transcriptOf } from '../../transcript/transcript.js';
import { totalUsage } from '../../usage.js';
import type { PipelineOptions } from './pipeline-options.js';
import type { GenerationRequest } from './ports.js';

const LONG =
  'We have green tea. We have black tea. We have white tea. We have oolong tea. We have herbal tea. Which one?';

/** A model that follows the user's last words. */
function waiter({ messages }: GenerationRequest) {
  const last = messages.at(-1)!;
  if (last.role === 'tool_results')
    return `It is ${last.results[0]!.result.includes('ready') ? 'ready' : 'not ready'}.`;
  if (last.role !== 'user') return 'Hello again.';
  if (last.text.includes('order'))
    return { say: 'I will look.', call: { name: 'look_up', arguments: { what: 'tea' } } };
  if (last.text.includes('choice')) return LONG;
  if (last.text.includes('keys')) return 'You pressed keys.';
  if (last.text.includes('bye')) return { say: 'Goodbye.', call: { name: 'end_call' } };
  return 'Sorry?';
}

const tool: VoiceTool = {
  name: 'look_up',
  description: 'Looks up an order.',
  parameters: { type: 'object' },
  run: async () => ({ state: 'ready' }),
};

function call(hears: string[], options: PipelineOptions = {}, settings = {}) {
  const ear = new ScriptedTranscriber([], 'scripted-ear', hears);
  const legs: { model?: ScriptedModel; voice?: ScriptedSynthesizer } = {};
  const answered = answeredCall({
    tools: [tool],
    settings: { idle: { afterMs: 60_000 }, ...settings },
    provider: (line) => {
      legs.model = new ScriptedModel(line, waiter);
      legs.voice = new ScriptedSynthesizer(line, [], { words: true });
      return scriptedPipeline(line, { transcribers: [ear], models: [legs.model], synthesizers: [legs.voice] }, options);
    },
  });
  return { ...answered, ear, model: legs.model!, voice: legs.voice! };
}

const said = (events: Parameters<typeof transcriptOf>[0]) =>
  transcriptOf(events).map(({ role, text }) => `${role}: ${text}`);

describe('a call through transcriber, model and synthesizer', () => {
  it('greets, answers speech and keys, calls a tool, is interrupted, and says goodbye', async () => {
    const { line, events, of, end, model, voice } = call([
      'Where is my order?',
      'What choice do I have?',
      'wait please',
      'Thank you, bye.',
    ]);
    const quiet = async (ms = 1_500) => {
      const from = line.sent.length;
      await line.until(() => line.sent.length - from >= ms / 20 && quietFor(line.sent, ms), 60_000);
    };
    await quiet();
    await line.run(900, await userSpeech(900));
    await line.until(() => of('tool_call').length === 1, 3_000);
    await quiet();
    await line.run(900, await userSpeech(900));
    await line.until(() => line.queuedMs > 0, 3_000);
    await line.run(2_500);
    await line.run(1_000, await userSpeech(1_000));
    await quiet();
    line.press('4');
    line.press('#');
    await quiet();
    await line.run(900, await userSpeech(900));
    await line.until(() => end() !== undefined, 6_000);
    expect(said(events)).toEqual([
      'agent: Hello, this is the tea house speaking.',
      'callee: Where is my order?',
      'agent: I will look.',
      'agent: It is ready.',
      'callee: What choice do I have?',
      expect.stringMatching(/^agent: We have green tea\. We have black tea\.(?: We have)?/),
      'callee: wait please',
      'agent: Sorry?',
      'agent: You pressed keys.',
      'callee: Thank you, bye.',
      'agent: Goodbye.',
    ]);
    expect(end()).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
    const [cut] = of('interrupted');
    const heard = model.requests.findLast(({ messages }) =>
      messages.some(({ role, ...rest }) => role === 'assistant' && JSON.stringify(rest).includes('[interrupted]')),
    );
    expect(heard).toBeDefined();
    // The third sentence was played, and two more were ready.
    expect(voice.requests.map(({ text }) => text)).not.toContain('Which one?');
    expect(cut?.played_ms).toBeGreaterThan(2_000);
    const usage = totalUsage(of('usage'));
    const characters = voice.requests.reduce((sum, { text }) => sum + text.length, 0) / 1_000;
    expect(usage).toContainEqual(expect.objectContaining({ kind: 'synthesis_characters', quantity: characters }));
    expect(of('error')).toEqual([]);
  });

  it('holds a conversation in text, without transcriber and synthesizer', async () => {
    const { line, events, session, ear, voice } = call([], {}, { modality: 'text' });
    await line.run(200);
    session.hearText('Where is my order?');
    await line.run(400);
    expect(said(events)).toEqual([
      'agent: Hello, this is the tea house speaking.',
      'callee: Where is my order?',
      'agent: I will look.',
      'agent: It is ready.',
    ]);
    expect([ear.streams.length, voice.requests.length]).toEqual([0, 0]);
  });
});

/** The last `ms` of the line are silent. */
const quietFor = (sent: readonly Buffer[], ms: number): boolean =>
  sent.length >= ms / 20 && sent.slice(-ms / 20).every((frame) => frame.every((byte) => byte === 0xff));
