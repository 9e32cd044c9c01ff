import { describe, expect, it } from '@jest/globals';
import { isConversing, nextState, type Activity, type ConversationState } from './conversation-state.js';

const STATES: ConversationState[] = [
  'idle',
  'screening',
  'listening',
  'thinking',
  'speaking',
  'handing-over',
  'closing',
  'ended',
];
/** The states of a running conversation, derived from the activity of its components. */
const RUNNING = STATES.filter((state) => !['idle', 'closing', 'ended'].includes(state));

const QUIET: Activity = { isScreening: false, toolHasLine: false, isPlaying: false, isPreparing: false };

describe('the state of a conversation', () => {
  it.each<[string, Partial<Activity>, ConversationState]>([
    ['there is no activity', {}, 'listening'],
    ['a response is generated', { isPreparing: true }, 'thinking'],
    ['audio is played', { isPlaying: true }, 'speaking'],
    ['audio is played while the next response is generated', { isPlaying: true, isPreparing: true }, 'speaking'],
    ['the answer is not classified', { isScreening: true }, 'screening'],
    ['a machine beeps into the agent’s first words', { isScreening: true, isPlaying: true }, 'screening'],
    ['a tool has the line', { toolHasLine: true }, 'handing-over'],
    ['a tool takes the line during the last words', { toolHasLine: true, isPlaying: true }, 'handing-over'],
    ['a tool takes the line during the screening', { toolHasLine: true, isScreening: true }, 'handing-over'],
  ])('when %s (%j), every running state becomes %s', (_, activity, expected) => {
    const event = { type: 'activity', ...QUIET, ...activity } as const;
    expect(RUNNING.map((state) => nextState(state, event))).toEqual(RUNNING.map(() => expected));
  });

  it.each(['idle', 'closing', 'ended'] as const)('activity does not leave the state %s', (state) => {
    const everything = { isScreening: true, toolHasLine: true, isPlaying: true, isPreparing: true };
    expect(nextState(state, { type: 'activity', ...everything })).toBe(state);
    expect(nextState(state, { type: 'activity', ...QUIET })).toBe(state);
  });

  it('a conversation starts once, and listens first', () => {
    expect(nextState('idle', { type: 'started' })).toBe('listening');
    for (const state of STATES.slice(1)) expect(nextState(state, { type: 'started' })).toBe(state);
  });

  it('an announced end closes every conversation that has not ended', () => {
    for (const state of STATES.slice(0, -1)) expect(nextState(state, { type: 'end_announced' })).toBe('closing');
    expect(nextState('ended', { type: 'end_announced' })).toBe('ended');
  });

  it('every state can end at once', () => {
    for (const state of STATES) expect(nextState(state, { type: 'ended' })).toBe('ended');
  });

  it('the agent answers only while it listens, thinks or speaks', () => {
    expect(STATES.filter(isConversing)).toEqual(['listening', 'thinking', 'speaking']);
  });
});
