import { describe, expect, it } from '@jest/globals';
import { assignmentsOf, resultForModel } from './assignment.js';
import type { AgentTool, McpTool, ToolAction } from './tool.js';

const action = (name: string, waitResponse = true): ToolAction => ({
  ...{ id: 1, name, url: 'https://example.com', method: 'POST', payload: null, headersEncrypted: null },
  ...{ queryParams: null, waitResponse, timeoutMs: 1_000 },
});
const mcp: McpTool = { serverId: 1, name: 'x', url: '', headersEncrypted: null, timeoutMs: 1_000 };
const aTool = (assign: Record<string, string> | null, actions: ToolAction[], server: McpTool | null = null) =>
  ({ behaviour: { assign }, actions, mcp: server }) satisfies Pick<AgentTool, 'behaviour' | 'actions' | 'mcp'>;

describe('the answer of a tool', () => {
  it.each<[string, ReturnType<typeof aTool>, Record<string, unknown>, unknown]>([
    [
      'one awaited request: its answer',
      aTool({ id: '/id' }, [action('book'), action('note', false)]),
      { book: { id: 7 }, note: { queued: true } },
      7,
    ],
    [
      'several: the answers by name',
      aTool({ id: '/book/id' }, [action('look'), action('book')]),
      { look: {}, book: { id: 'b' } },
      'b',
    ],
    ['an MCP tool: its structured content', aTool({ id: '/id' }, [], mcp), { structured_content: { id: true } }, true],
    ['an answer that is text', aTool({ id: '' }, [action('book')]), { book: 'b-1' }, 'b-1'],
  ])('assigns from %s', (_, tool, values, value) => {
    expect(assignmentsOf(tool, values)).toEqual([{ name: 'id', value, problem: null }]);
  });

  it.each<[unknown, string]>([
    [undefined, 'missing'],
    [null, 'missing'],
    [{ a: 1 }, 'not_a_value'],
    [[1], 'not_a_value'],
    ['x'.repeat(1_001), 'too_long'],
  ])('makes a variable null for %j and says %s', (id, problem) => {
    expect(assignmentsOf(aTool({ id: '/id' }, [action('book')]), { book: { id } })).toEqual([
      { name: 'id', value: null, problem },
    ]);
  });

  it('assigns nothing without `assign`', () => {
    expect(assignmentsOf(aTool(null, [action('book')]), { book: {} })).toBeUndefined();
    expect(assignmentsOf({ actions: [action('book')], behaviour: null }, { book: {} })).toBeUndefined();
  });

  it('is kept from the model when it is private: it gets names, and no word of a failure', () => {
    const assigned = [
      { name: 'id', value: 'secret-1', problem: null },
      { name: 'other', value: null, problem: 'missing' as const },
    ];
    const tool = { behaviour: { private: true } };
    const ended = { ok: true, result: { book: { id: 'secret-1' } }, assigned };
    expect(resultForModel(tool, ended)).toEqual({ ok: true, assigned: ['id'], not_assigned: ['other'] });
    expect(
      JSON.stringify(resultForModel(tool, { ok: false, result: { book: { error: { answer: 'secret-1' } } } })),
    ).not.toContain('secret-1');
    expect(resultForModel({ behaviour: {} }, ended)).toBe(ended.result);
  });
});
