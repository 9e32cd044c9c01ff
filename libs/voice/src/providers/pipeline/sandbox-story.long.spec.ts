import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sandboxLegs, SandboxServer } from '@app/sandbox';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from '../../../test/realtime-call.js';
import { answeredCall, speech, type TestCall, userSpeech } from '../../../test/test-call.js';
import { systemClock } from '../../clock.js';
import type { SessionEnd, SessionEvent } from '../../session-events.js';
import type { VoiceTool } from '../../tools/tool-box.js';
import { transcriptOf } from '../../transcript/transcript.js';
import { totalUsage } from '../../usage.js';
import { LazyProvider, providerFor, providersFor } from '../registry.js';
import type { ProviderEvent } from '../voice-provider.js';
import { registerSandboxLegs } from './leg-registry.js';
import type { PipelineOptions } from './pipeline-options.js';

/** Real time of 20 ms of the call. */
const STEP_MS = 8;
const LONG =
  'We have green tea from Japan. We have black tea from Ceylon. We have white tea from China. We have oolong tea from Taiwan.';

const SCRIPT = {
  rules: [
    { on: { text: 'order' }, say: 'I will look.', call: { tool: 'find_order' } },
    { on: { tool: 'find_order' }, say: 'It comes {{result.day}}.' },
    { on: { text: 'choice' }, say: LONG },
    { on: { digits: '4' }, say: 'You pressed four.' },
    { on: { text: 'bye' }, say: 'Goodbye.', hang_up: true },
    { on: { text: true }, say: 'Of course.' },
  ],
  legs: { hears: ['Where is my order?', 'What choice do I have?', 'Wait, please.', 'Thanks, bye.'] },
};

const FAULTS: [string, object][] = [
  ['the model is refused', { model: [{ do: 'refuse', requests: 1 }] }],
  ['the model is cut in an answer', { model: [{ do: 'disconnect', after: 8, in_request: 1 }] }],
  ['the model sends garbage', { model: [{ do: 'garbage', after: 8, in_request: 1 }] }],
  ['the model asks for a short wait', { model: [{ do: 'rate_limit', retry_after_seconds: 1, requests: 1 }] }],
  ['the synthesizer is cut in an answer', { synthesizer: [{ do: 'disconnect', after: 500, in_request: 2 }] }],
  ['the synthesizer is refused', { synthesizer: [{ do: 'refuse', requests: 1 }] }],
  ['the transcriber is cut in the speech', { transcriber: [{ do: 'disconnect', after: 2_400, in_request: 1 }] }],
  ['the transcriber is refused', { transcriber: [{ do: 'refuse', requests: 1 }] }],
];

/** The calls with faults, at the same time, because they mostly wait. */
const stories = new Map<string, Promise<StoryCall>>();
let server: SandboxServer;

beforeAll(async () => {
  server = await SandboxServer.start({ speech });
  registerSandboxLegs(() => Promise.resolve(sandboxLegs));
  for (const [name, legs] of FAULTS) stories.set(name, faultyCall(legs));
});

afterAll(async () => {
  await server.close();
});

const tool: VoiceTool = {
  name: 'find_order',
  description: 'Finds an order.',
  parameters: { type: 'object' },
  run: async () => ({ day: 'tomorrow' }),
};

/** A call on a stepped line, whose steps leave the server the time for its work. */
class StoryCall {
  private constructor(
    private readonly call: TestCall,
    private readonly words: Buffer,
  ) {}

  static async start(script: object = SCRIPT): Promise<StoryCall> {
    const settings = { sandbox: { url: server.url, key: server.key } };
    const choice = { name: 'pipeline', options: { script } };
    const call = answeredCall({
      provider: (line) => new LazyProvider(choice, { speech, clock: line, settings }),
      settings: { agent: { name: 'Ada', instructions: '', greeting: 'Hello, tea house.' } },
      tools: [tool],
    });
    return new StoryCall(call, await userSpeech(900));
  }

  get events(): SessionEvent[] {
    return this.call.events;
  }

  get end(): SessionEnd | undefined {
    return this.call.end();
  }

  get lines(): string[] {
    return transcriptOf(this.events).map(({ role, text }) => `${role}: ${text}`);
  }

  /** The agent has finished a turn that begins like this. */
  heard(start: string): Promise<void> {
    return this.until(() => this.lines.some((line) => line.startsWith(start)));
  }

  async until(condition: () => boolean): Promise<void> {
    const { line } = this.call;
    const limit = line.now() + 30_000;
    while (!condition()) {
      if (line.now() > limit) throw new Error(`The call makes no progress: ${this.lines.join(' / ')}`);
      await this.run(20);
    }
  }

  async run(ms: number, audio?: Buffer): Promise<void> {
    for (let at = 0; at < ms * 8; at += 160) {
      await delay(STEP_MS);
      await this.call.line.run(20, audio?.subarray(at, at + 160));
    }
  }

  speak(): Promise<void> {
    return this.run(900, this.words);
  }

  press(key: string): void {
    this.call.line.press(key);
  }

  hangUp(): void {
    this.call.session.stop('user_hangup');
  }
}

async function faultyCall(legs: object): Promise<StoryCall> {
  const hears = ['What choice do I have?', 'What choice do I have?'];
  const call = await StoryCall.start({ rules: [{ on: { text: 'choice' }, say: LONG }], legs: { hears, ...legs } });
  await call.heard('agent: Hello, tea house.');
  await call.speak();
  await call.heard('agent: We have');
  call.hangUp();
  return call;
}

describe('a pipeline without keys', () => {
  const open = (pipeline: PipelineOptions) =>
    providerFor({ name: 'pipeline', options: { pipeline } }, { speech, clock: systemClock, settings: {} });

  it('needs no settings', async () => {
    await expect(open({})).resolves.toMatchObject({ name: 'pipeline' });
  });

  it('names the leg that is not configured', async () => {
    const opening = open({ transcriber: { provider: 'deepgram' }, model: { provider: 'anthropic' } });
    await expect(opening).rejects.toThrow(/DEEPGRAM_API_KEY.*ANTHROPIC_API_KEY/);
    const replaced = open({ transcriber: { provider: 'deepgram', fallbacks: [{ provider: 'sandbox' }] } });
    await expect(replaced).resolves.toMatchObject({ name: 'pipeline' });
  });

  it('holds a conversation in text', async () => {
    const settings = { sandbox: { url: server.url, key: server.key } };
    const choice = { name: 'pipeline', options: { script: SCRIPT } };
    const { provider } = await providersFor([choice], { speech, clock: systemClock, settings });
    const events: ProviderEvent[] = [];
    let wake = (): void => undefined;
    const onEvent = (event: ProviderEvent): void => {
      events.push(event);
      wake();
    };
    const { signal } = new AbortController();
    const connection = await provider.connect({ ...request, modality: 'text' }, onEvent, signal);
    connection.sendDigits('4');
    connection.createResponse({});
    while (!events.some(({ type }) => type === 'response_done')) await new Promise<void>((resolve) => (wake = resolve));
    expect(events.flatMap((event) => (event.type === 'agent_text' ? [event.text] : []))).toEqual([
      'You pressed four. ',
    ]);
    connection.close();
  });

  it('plays a whole call on the sandbox server: greeting, tool, interruption, keys and goodbye', async () => {
    const call = await StoryCall.start();
    await call.heard('agent: Hello, tea house.');
    await call.speak();
    await call.heard('agent: It comes tomorrow.');
    await call.speak();
    await call.until(() => call.events.filter((event) => event.type === 'turn_started').length === 6);
    await call.run(2_000);
    await call.speak();
    await call.heard('agent: Of course.');
    call.press('4');
    call.press('#');
    await call.heard('agent: You pressed four.');
    await call.speak();
    await call.until(() => call.end !== undefined);
    expect(call.end).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
    const { lines, events } = call;
    expect(lines).toEqual([
      'agent: Hello, tea house.',
      'callee: Where is my order?',
      'agent: I will look.',
      'agent: It comes tomorrow.',
      'callee: What choice do I have?',
      expect.stringMatching(/^agent: We have green tea from Japan/),
      'callee: Wait, please.',
      'agent: Of course.',
      'agent: You pressed four.',
      'callee: Thanks, bye.',
      'agent: Goodbye.',
    ]);
    expect(lines[5]).not.toContain('Taiwan');
    expect(events.filter(({ type }) => type === 'error' || type === 'provider_lost')).toEqual([]);
    const usage = totalUsage(events.filter((event) => event.type === 'usage'));
    expect(usage.map(({ kind, source }) => `${source} ${kind}`).toSorted()).toEqual([
      'sandbox cached_text_tokens',
      'sandbox input_text_tokens',
      'sandbox output_text_tokens',
      'sandbox synthesis_characters',
      'sandbox transcription_seconds',
    ]);
  });

  it.each(FAULTS)(
    '%s: the user hears every word once',
    async (name) => {
      const { lines, events } = await stories.get(name)!;
      const said = lines.filter((line) => line !== 'agent: One moment, please.');
      expect(said).toEqual(['agent: Hello, tea house.', 'callee: What choice do I have?', `agent: ${LONG}`]);
      expect(events.filter(({ type }) => type === 'provider_lost')).toEqual([]);
    },
    40_000,
  );
});
