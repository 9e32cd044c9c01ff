import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@app/common';
import { sandboxLegs, SandboxServer } from '@app/sandbox';
import { decode, encode, type MediaSession } from '@app/telephony';
import { setTimeout as delay } from 'node:timers/promises';
import { speech, userSpeech } from '../../../test/test-call.js';
import { twoEnds } from '../../../test/two-ends.js';
import { AgentSession } from '../../agent-session.js';
import { systemClock } from '../../clock.js';
import type { SessionEnd, SessionEvent } from '../../session-events.js';
import { BUILTIN_TOOLS, ToolBox, type VoiceTool } from '../../tool-box.js';
import { transcriptOf } from '../../transcript.js';
import { totalUsage } from '../../usage.js';
import { providerProblem, providersFor } from '../registry.js';
import { registerSandboxLegs } from './leg-registry.js';

const PORTS = { min: 42_500, max: 42_599 };
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

const opened: MediaSession[] = [];
let server: SandboxServer;
let words: Buffer;

beforeAll(async () => {
  server = await SandboxServer.start({ speech });
  registerSandboxLegs(() => Promise.resolve(sandboxLegs));
  words = encode('PCMA', decode('PCMU', await userSpeech(900)));
});

afterAll(async () => {
  await Promise.all(opened.map((session) => session.close()));
  await server.close();
});

const tool: VoiceTool = {
  name: 'find_order',
  description: 'Finds an order.',
  parameters: { type: 'object' },
  run: async () => ({ day: 'tomorrow' }),
};

/** A call whose user does the next step when the line is quiet, or after a time of the agent's speech. */
class StoryCall {
  readonly events: SessionEvent[] = [];
  readonly ended: Promise<SessionEnd>;
  private wake = (): void => undefined;

  private constructor(
    private readonly phone: MediaSession,
    session: AgentSession,
    agentSide: MediaSession,
  ) {
    this.ended = session.start(agentSide);
  }

  static async start(): Promise<StoryCall> {
    const { agentSide, phone } = await twoEnds(PORTS);
    opened.push(agentSide, phone);
    const settings = { sandbox: { url: server.url, key: server.key } };
    const choice = { name: 'pipeline', options: { script: SCRIPT } };
    expect(await providerProblem(choice, settings)).toBeUndefined();
    const { provider } = await providersFor([choice], { speech, clock: systemClock, settings });
    const holder: { call?: StoryCall } = {};
    const session = new AgentSession({
      provider,
      settings: { agent: { name: 'Ada', instructions: '', greeting: 'Hello, tea house.' } },
      speech,
      log: createLog({ level: 'silent', role: 'test' }),
      call: { callId: 'c', direction: 'outbound', to: 'sip:tea@localhost', from: '+15550001111', metadata: null },
      tools: new ToolBox([...BUILTIN_TOOLS, tool]),
      onEvent: (event) => {
        holder.call?.events.push(event);
        holder.call?.wake();
      },
    });
    return (holder.call = new StoryCall(phone, session, agentSide));
  }

  heard(start: string): Promise<void> {
    return this.until(() => this.lines.some((line) => line.startsWith(start)));
  }

  /** The agent has begun so many turns. */
  begun(count: number): Promise<void> {
    return this.until(
      () => this.events.filter((event) => event.type === 'turn_started' && event.role === 'agent').length >= count,
    );
  }

  private async until(condition: () => boolean): Promise<void> {
    const limit = AbortSignal.timeout(15_000);
    limit.addEventListener('abort', () => this.wake());
    while (!condition()) {
      if (limit.aborted) throw new Error(`The call makes no progress: ${JSON.stringify(this.events, null, 1)}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  speak(): void {
    this.phone.write(words);
  }

  press(digits: string): Promise<void> {
    return this.phone.sendDtmf(digits);
  }

  get lines(): string[] {
    return transcriptOf(this.events).map(({ role, text }) => `${role}: ${text}`);
  }
}

describe('a pipeline without keys', () => {
  it('plays a whole call on the sandbox server: greeting, tool, interruption, keys and goodbye', async () => {
    const call = await StoryCall.start();
    await call.heard('agent: Hello, tea house.');
    call.speak();
    await call.heard('agent: It comes tomorrow.');
    call.speak();
    await call.begun(4);
    await delay(2_000);
    call.speak();
    await call.heard('agent: Of course.');
    await call.press('4#');
    await call.heard('agent: You pressed four.');
    call.speak();
    expect(await call.ended).toEqual({ endedBy: 'agent', cause: 'agent_hangup' });
    const { lines, events } = call;
    expect(lines).toEqual([
      'agent: Hello, tea house.',
      'callee: Where is my order?',
      'agent: I will look.',
      'agent: It comes tomorrow.',
      'callee: What choice do I have?',
      expect.stringMatching(/^agent: We have green tea from Japan\./),
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
  }, 60_000);
});
