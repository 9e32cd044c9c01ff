import type { AnalysisSettings } from '@app/agents';
import { describe, expect, it } from '@jest/globals';
import { keys, material, tool, TURNS } from '../../test/test-material.js';
import { resultByRules } from './rules.js';

const asked = (properties: Record<string, unknown>, more: Partial<AnalysisSettings> = {}): AnalysisSettings => ({
  extract: { type: 'object', properties },
  ...more,
});

const EVENTS = [
  ...TURNS,
  keys('4711', 5_000),
  tool('find_order', { order_id: 'A-1' }, { order: { status: 'shipped', items: 3, paid: 'true' }, ok: true }),
  tool('book', { slot: { day: 'Friday' } }, { error: { code: 'full' } }, { ok: false }),
  keys('2', 9_000),
];

describe('without a text model', () => {
  it.each<[string, Record<string, unknown>, unknown, string]>([
    ['an argument of a tool', { order_id: { type: 'string' } }, 'A-1', 'tool_call'],
    ['an argument under another spelling', { orderId: { type: 'string' } }, 'A-1', 'tool_call'],
    ['an argument with the name of its tool', { find_order_order_id: { type: 'string' } }, 'A-1', 'tool_call'],
    ['a number in a result', { items: { type: 'integer', minimum: 1 } }, 3, 'tool_call'],
    ['a text that the schema wants as a flag', { paid: { type: 'boolean' } }, true, 'tool_call'],
    ['an option in another case', { order_status: { enum: ['Shipped', 'Lost'] } }, 'Shipped', 'tool_call'],
    ['a call of a tool', { book_called: { type: 'boolean' } }, true, 'tool_call'],
    ['the last pressed keys', { digits: { type: 'string' } }, '2', 'keypad'],
    ['pressed keys as a number', { pin: { type: 'integer' } }, 2, 'keypad'],
    ['the only keys that match a pattern', { customer: { type: 'string', pattern: '^\\d{4}$' } }, '4711', 'keypad'],
    ['keys that are an option', { choice: { type: 'string', enum: ['2', '3'] } }, '2', 'keypad'],
    ['the cause of the end', { hangup_cause: { type: 'string' } }, 'agent_hangup', 'call'],
    ['the duration', { duration_seconds: { type: 'number' } }, 42, 'call'],
    ['what picked up', { answered_by: { enum: ['human', 'machine'] } }, 'human', 'call'],
    ['a variable', { customer_name: { type: 'string' } }, 'Ada', 'variable'],
    ['metadata', { campaign: { type: 'string' } }, 'autumn', 'variable'],
  ])('%s is extracted with its place', (_, properties, value, type) => {
    const call = { variables: { customer_name: 'Ada' }, metadata: { campaign: 'autumn', nested: { x: 1 } } };
    const { fields } = resultByRules(asked(properties), material(EVENTS, call));
    expect(fields).toMatchObject([{ value, status: 'supported', evidence: [{ type }] }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['words of the conversation', { name: { type: 'string' } }],
    ['a value of another type', { order_id: { type: 'integer' } }],
    ['a value beyond a limit', { items: { type: 'integer', maximum: 2 } }],
    ['an argument of a failed tool call', { day: { type: 'string' } }],
    ['several keys that match', { any: { type: 'string', pattern: '^\\d+$' } }],
    ['an option that nothing names', { reason: { enum: ['delivery', 'billing'] } }],
  ])('%s is no value', (_, properties) => {
    const { fields, values } = resultByRules(asked(properties), material(EVENTS));
    expect(fields).toMatchObject([{ value: null, status: 'absent', evidence: [] }]);
    expect(Object.values(values ?? {})).toEqual([null]);
  });

  it('fields in objects are found by their path, also through a definition', () => {
    const settings: AnalysisSettings = {
      extract: {
        type: 'object',
        properties: { order: { $ref: '#/$defs/order' } },
        $defs: { order: { type: 'object', properties: { status: { type: 'string' }, city: { type: 'string' } } } },
      },
    };
    const { values, fields } = resultByRules(settings, material(EVENTS));
    expect(values).toEqual({ order: { status: 'shipped', city: null } });
    expect(fields.map(({ path }) => path)).toEqual(['order.status', 'order.city']);
  });

  it('rubric questions are answered only by facts of their name, and the summary is that of the call', () => {
    const rubric = [
      { name: 'find_order', question: 'Was the order looked up?', type: 'boolean' as const },
      { name: 'polite', question: 'Was the agent polite?', type: 'score' as const },
    ];
    const result = resultByRules({ rubric, summary_prompt: 'Short.' }, material(EVENTS));
    expect(result.rubric).toMatchObject([
      { value: true, status: 'supported', evidence: [{ source: 'find_order', started_ms: 6_000 }] },
      { value: null, status: 'absent' },
    ]);
    expect([result.values, result.summary]).toEqual([null, 'The call.']);
  });
});
