import { describe, expect, it } from '@jest/globals';
import type { CallEvent } from '../api/types.js';
import { collectedValues, flowMoments, stepsOfFirstAgent } from './flow-path.js';

const event = (seq: number, type: string, data: CallEvent['data']): CallEvent => ({ seq, at: '', type, data });

const EVENTS = [
  event(1, 'step_entered', { at_ms: 0, step: 'identify', from: null, by: 'start' }),
  event(2, 'values_collected', { at_ms: 900, step: 'identify', turn: 1, values: { name: 'Ada', age: 3 } }),
  event(3, 'values_collected', { at_ms: 1_900, step: 'identify', turn: 2, values: { name: 'Bea' } }),
  event(4, 'step_entered', { at_ms: 2_000, step: 'book', from: 'identify', by: 'if', exit: 0 }),
  event(5, 'handed_over', { at_ms: 3_000, to_agent_id: 9, to_agent_name: 'Desk', reason: 'Booking' }),
  event(6, 'step_entered', { at_ms: 3_000, step: 'identify', from: null, by: 'handoff' }),
];

describe('the flow of a call', () => {
  it('is a list of steps and handoffs with their reasons', () => {
    expect(flowMoments(EVENTS)).toMatchObject([
      { step: 'identify', why: 'start of the conversation' },
      { step: 'book', why: 'exit 1: an expression was true', atMs: 2_000 },
      { name: 'Desk', agentId: 9 },
      { step: 'identify', why: 'the agent took over' },
    ]);
  });

  it('marks the steps of the first agent only, also where the next one has steps of the same names', () => {
    expect(stepsOfFirstAgent(flowMoments(EVENTS))).toEqual({ steps: ['identify', 'book'], isOver: true });
  });

  it('has the last value of each name with its turn', () => {
    expect(collectedValues(EVENTS)).toMatchObject([
      { name: 'age', value: 3, turn: 1 },
      { name: 'name', value: 'Bea', turn: 2 },
    ]);
  });
});
