import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '@app/voice';
import { SandboxProvider, SandboxServer } from '@app/sandbox';
import { readScenario } from '@app/agents/scenarios';
import type { SimulationResult } from '../scenario/simulation.js';
import { simulateAudio } from './audio-line.js';
import { builtInSpeech } from './caller-voice.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const speech = builtInSpeech();

const RULES = [
  { on: { text: 'price|cost' }, say: 'It costs three euros.' },
  { on: { text: 'story' }, say: 'Once upon a time there was a telephone that never rang. '.repeat(6) },
  { on: { text: 'stop' }, say: 'All right.' },
  { on: { digits: '1' }, say: 'You pressed one.' },
  { on: { text: 'bye' }, say: 'Goodbye.', hang_up: true },
];

describe('a scenario in speech', () => {
  let server: SandboxServer;

  beforeAll(async () => {
    server = await SandboxServer.start({ speech });
  });
  afterAll(() => server.close());

  const play = (scenario: object, rules: object[] = RULES): Promise<SimulationResult> =>
    simulateAudio(
      {
        provider: new SandboxProvider({ server, script: { rules }, speech, clock: systemClock }),
        settings: { agent: { name: 'Shop', instructions: 'Sell.', greeting: 'Hello, this is the shop.' } },
        tools: () => [],
        others: [],
        mayTransfer: false,
        speech,
      },
      readScenario({ name: 'shop', channel: 'audio', ...scenario }),
      log,
    );

  it('the caller speaks, presses keys and is understood, and its phone measures the conversation', async () => {
    const result = await play({
      steps: [
        { expects: 'this is the shop' },
        { says: 'What is the price?', expects: 'three euros', within_ms: 3_000 },
        { keys: '1#', expects: 'pressed one' },
        { says: 'Bye.', expects: 'Goodbye', ends: 'hangup' },
      ],
      judge: { audio: { response_ms: 3_000, silence_ms: 6_000, talks_over: 0, mos: 3.5 } },
    });
    expect(result).toMatchObject({ passed: true, error: null, end: { cause: 'agent_hangup' } });
    expect(result.audio).toMatchObject({ talked_over: 0, interruptions: [], loss: 0, codec: 'PCMU' });
    expect(result.audio!.responses).toHaveLength(2);
    expect(result.audio!.first_sound_ms).toBeLessThan(2_000);
  });

  it('the caller interrupts the agent, and the phone measures how long it goes on', async () => {
    const result = await play({
      steps: [
        { expects: 'shop' },
        { says: 'Tell me a story.', interrupt_after_ms: 1_500 },
        { says: 'Please stop.', expects: 'All right' },
      ],
      judge: { audio: { interruption_ms: 1_000 } },
    });
    expect(result).toMatchObject({ passed: true, error: null });
    expect(result.audio!.interruptions).toHaveLength(1);
  });
});
