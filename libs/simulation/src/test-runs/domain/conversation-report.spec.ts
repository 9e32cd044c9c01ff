import type { ChargedSimulation } from '../../simulations.service.js';
import type { Redaction } from '@app/privacy';
import { describe, expect, it } from '@jest/globals';
import { reportOf } from './conversation-report.js';

const CARD = '4111 1111 1111 1111';
const REDACTION: Redaction = { kinds: ['card'], custom: [], audio: false };

const turn = (role: 'agent' | 'caller', text: string, ms: number) => ({
  role,
  text,
  started_ms: ms,
  ended_ms: ms + 500,
  truncated: false,
});

/** A caller says a card number in two parts; the agent repeats it, stores it with a tool, and fails every kind of expectation with it. */
const RESULT: ChargedSimulation = {
  name: 'pays by card',
  passed: false,
  steps: [
    {
      step: 1,
      name: 'card',
      passed: false,
      failures: [`The agent said "I have ${CARD}."`],
      said: [`I have ${CARD}.`],
      tool_calls: ['save_card'],
      spoke_after_ms: 1_111,
    },
  ],
  checks: [{ name: 'persona', passed: false, failures: [`It said ${CARD}.`] }],
  rubric: [
    {
      name: 'careful',
      value: `no: ${CARD}`,
      passed: false,
      unsupported: false,
      reason: `It repeated ${CARD}.`,
      evidence: [{ turn: 2, quote: `I have ${CARD}.`, started_ms: 2_000, ended_ms: 2_500 }],
    },
  ],
  transcript: [
    turn('caller', 'My card is 4111 1111', 0),
    turn('caller', '1111 1111.', 1_000),
    turn('agent', `I have ${CARD}.`, 2_000),
  ],
  keys: [],
  toolCalls: [
    {
      at_ms: 2_500,
      started_ms: 2_400,
      id: 'call-1',
      name: 'save_card',
      arguments: { number: '4111111111111111', note: 'x'.repeat(3_980) + CARD },
      result: { stored: 4_111_111_111_111_111 },
      ok: true,
    } as unknown as ChargedSimulation['toolCalls'][number],
  ],
  usage: [],
  end: null,
  error: `The tool rejected ${CARD}.`,
  conversationMs: 3_000,
  durationMs: 10,
  costMicros: 5,
  path: [],
  values: {},
  recorded: null,
  audio: null,
  call: null,
  sip: null,
};

describe('the stored report of a test conversation', () => {
  it('contains no part of a card number when the agent redacts cards', () => {
    const stored = JSON.stringify(reportOf(RESULT, REDACTION));
    expect(stored).toContain('[card]');
    expect(stored).not.toMatch(/4111|1111 1111/);
  });

  it('keeps times, names and counts', () => {
    const { steps, transcript, toolCalls, costMicros } = reportOf(RESULT, REDACTION);
    expect(steps[0]).toMatchObject({ step: 1, name: 'card', tool_calls: ['save_card'], spoke_after_ms: 1_111 });
    expect(transcript.map(({ role, started_ms }) => [role, started_ms])).toEqual([
      ['caller', 0],
      ['caller', 1_000],
      ['agent', 2_000],
    ]);
    expect(toolCalls[0]).toMatchObject({ name: 'save_card', ok: true, started_ms: 2_400 });
    expect(costMicros).toBe(5);
  });

  it('contains no PIN that was pressed after a question for it', () => {
    const transcript = [turn('agent', 'What is your PIN?', 0), turn('agent', 'I have 8361.', 1_000)];
    const toolCalls = RESULT.toolCalls.map((call) => ({ ...call, arguments: { detail: '8361' }, result: null }));
    const pressed = { ...RESULT, transcript, toolCalls, keys: [{ at_ms: 1_000, digits: '8361' }] };
    const stored = JSON.stringify(reportOf(pressed, { kinds: ['password'], custom: [], audio: false }));
    expect(stored).toContain('I have [password].');
    expect(stored).not.toContain('8361');
  });

  it('contains what was said without a redaction', () => {
    expect(reportOf(RESULT, null).transcript[2]?.text).toBe(`I have ${CARD}.`);
  });
});
