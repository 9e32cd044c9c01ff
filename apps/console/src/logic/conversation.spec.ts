import { describe, expect, it } from '@jest/globals';
import { conversationOf } from './conversation.js';
import type { CallEvent } from '../api/types.js';

let seq = 0;
const event = (type: string, data: Record<string, unknown>): CallEvent => ({
  seq: (seq += 1),
  type,
  at: '2026-01-02T03:04:05.678+00:00',
  data,
});
const turn = (number: number, role: string, startedMs: number, more: Record<string, unknown> = {}): CallEvent =>
  event('turn', {
    at_ms: 0,
    turn: number,
    role,
    text: 'Hello.',
    started_ms: startedMs,
    ended_ms: startedMs + 900,
    truncated: false,
    ...more,
  });
const shown = (...events: CallEvent[]) => conversationOf(events).map(({ key: _key, ...entry }) => entry);

describe('the conversation of a call', () => {
  it('shows who speaks before the words are there, and then the words in the same place', () => {
    const started = event('turn_started', { at_ms: 20, turn: 1, role: 'agent', started_ms: 20 });
    const [before] = conversationOf([started]);
    const after = conversationOf([started, turn(1, 'agent', 20)]);
    expect(before).toMatchObject({ kind: 'speaking', role: 'agent' });
    expect(after).toMatchObject([{ kind: 'turn', role: 'agent', text: 'Hello.', endMs: 920, key: before?.key }]);
  });

  it('shows the words of a running turn, and then the final turn in their place', () => {
    const started = event('turn_started', { at_ms: 20, turn: 1, role: 'agent', started_ms: 20 });
    const data = { turn: 1, role: 'agent' as const, text: 'Hel', started_ms: 20 };
    const words = new Map([[1, { type: 'turn_words' as const, at: started.at, data }]]);
    const running = [{ kind: 'speaking', key: 'turn-1', atMs: 20, role: 'agent', text: 'Hel' }];
    expect(conversationOf([started], words)).toEqual(running);
    expect(conversationOf([], words)).toEqual(running);
    expect(conversationOf([started, turn(1, 'agent', 20)], words)).toMatchObject([{ kind: 'turn', text: 'Hello.' }]);
  });

  it('orders entries by when they began, not by when they arrived', () => {
    const tool = event('tool_call', {
      name: 'look_up',
      ok: true,
      started_ms: 500,
      ended_ms: 700,
      arguments: {},
      result: {},
    });
    expect(shown(turn(2, 'callee', 1_000), tool, turn(1, 'agent', 0)).map(({ atMs }) => atMs)).toEqual([0, 500, 1_000]);
  });

  it.each(['callee', 'caller'])('puts the %s on the other side', (role) =>
    expect(shown(turn(1, role, 0))).toMatchObject([{ role: 'far' }]),
  );

  it('says what interrupted a turn', () => {
    const cut = event('interrupted', { at_ms: 600, by: 'dtmf', played_ms: 580 });
    expect(shown(cut, turn(1, 'agent', 20, { truncated: true }))).toMatchObject([{ cutBy: 'dtmf' }]);
    expect(shown(cut, turn(1, 'agent', 20))).toMatchObject([{ cutBy: undefined }]);
  });

  it('joins keys that belong together, also while more may come', () => {
    const key = (digit: string, atMs: number) => event('dtmf_received', { digit, at_ms: atMs, duration_ms: 100 });
    const [one, two] = [key('4', 100), key('7', 300)];
    expect(shown(one, two)).toEqual([{ kind: 'keys', atMs: 100, digits: '47', sent: false }]);
    const entered = event('dtmf_input', { at_ms: 2_300, digits: '47' });
    expect(shown(one, two, entered, key('1', 5_000))).toEqual([
      { kind: 'keys', atMs: 100, digits: '47', sent: false },
      { kind: 'keys', atMs: 5_000, digits: '1', sent: false },
    ]);
  });

  it('distinguishes searches from other tools', () => {
    const passage = { title: 'Returns', text: 'Within 30 days.', score: 0.9 };
    const search = event('tool_call', {
      name: 'search_knowledge_base',
      ok: true,
      started_ms: 0,
      ended_ms: 40,
      arguments: { query: 'returns' },
      result: { results: [passage] },
    });
    expect(shown(search)).toEqual([
      { kind: 'search', atMs: 0, ok: true, tookMs: 40, query: 'returns', passages: [passage] },
    ]);
    const wordings = { ...search, data: { ...search.data, arguments: { queries: ['returns', 'Rückgabe'] } } };
    expect(shown(wordings)).toMatchObject([{ kind: 'search', query: 'returns · Rückgabe' }]);
  });

  it('skips what it does not know', () => expect(shown(event('new_in_2027', { at_ms: 1 }))).toEqual([]));
});
