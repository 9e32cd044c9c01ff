import { describe, expect, it } from '@jest/globals';
import type { McpServer, Tool, WholeAgent } from '../api/types.js';
import { agentsIn, copyName, exportedAgent, portable } from './agent-file.js';
import { yamlOf } from './yaml-text.js';

const AGENT = {
  ...{ id: 7, version: 3, canary: null, created_at: 'x', updated_at: 'x' },
  ...{ name: 'Receptionist', greeting: 'Hello.', instructions: '', scenarios: [{ name: 'a', scenario: {} }] },
  post_call_webhook: {
    url: 'https://example.com/hook',
    method: 'POST',
    headers: [
      { key: 'X-Team', value: 'desk' },
      { key: 'X-Key', value: '********' },
    ],
  },
} as unknown as WholeAgent;

const TOOL = {
  ...{ id: 3, agent_id: 7, name: 'find_order', description: 'Finds it.', is_active: true, mcp: null, parameters: {} },
  webhook_actions: [{ id: 9, name: 'ask', url: 'https://example.com/', headers: { Authorization: '********' } }],
} as unknown as Tool;

const SERVER = {
  ...{ id: 1, name: 'shop', url: 'https://example.com/mcp', tools: null, timeout_seconds: 10, state: 'connected' },
  headers: { Authorization: '********', 'X-Team': 'desk' },
} as unknown as McpServer;

describe('an exported agent', () => {
  const { file, omitted } = exportedAgent(AGENT, [TOOL, { ...TOOL, mcp: {} as Tool['mcp'] }], [SERVER]);

  it('has its settings, MCP servers and tools, and no ids', () => {
    expect(file).toEqual({
      agents: [
        {
          ...{ name: 'Receptionist', greeting: 'Hello.', instructions: '', scenarios: [{ name: 'a', scenario: {} }] },
          post_call_webhook: {
            url: 'https://example.com/hook',
            method: 'POST',
            headers: [{ key: 'X-Team', value: 'desk' }],
          },
          tools: [
            {
              mcp: {
                ...{ name: 'shop', url: 'https://example.com/mcp', tools: null, timeout_seconds: 10 },
                headers: { 'X-Team': 'desk' },
              },
            },
          ],
        },
      ],
      agent_tools: {
        Receptionist: [
          {
            ...{ name: 'find_order', description: 'Finds it.', is_active: true, parameters: {} },
            webhook_actions: [{ name: 'ask', url: 'https://example.com/', headers: null }],
          },
        ],
      },
    });
  });

  it('names the secret headers that are not in it', () => {
    expect(omitted).toEqual([
      'post_call_webhook: X-Key',
      'MCP server shop: Authorization',
      'tool find_order: Authorization',
    ]);
  });

  it.each([
    ['YAML', yamlOf],
    ['JSON', async (value: unknown) => JSON.stringify(value)],
  ])('is read again from %s', async (_format, write) => expect(await agentsIn(await write(file))).toEqual(file));
});

it('has no ids of this account in a file for others', () => {
  const agent = { ...AGENT, call_transfer: { enabled: true, caller_id_number_id: 4 } } as unknown as WholeAgent;
  const { file, omitted } = portable(exportedAgent(agent, [], []));
  expect(file.agents[0]?.['call_transfer']).toEqual({ enabled: true });
  expect(omitted).toEqual(['post_call_webhook: X-Key', 'call_transfer: caller_id_number_id']);
});

it.each([
  ['a workspace file', { accounts: [{ name: 'acme', agents: [{ name: 'A' }, { name: 'B' }] }] }, ['A', 'B']],
  ['one agent', { name: 'A', greeting: 'Hi.' }, ['A']],
])('finds the agents of %s', async (_what, content, names) => {
  const found = await agentsIn(await yamlOf(content));
  expect('agents' in found && found.agents.map(({ name }) => name)).toEqual(names);
});

it.each([
  ['accounts:\n  - name: acme', 'each needs a name'],
  ['agents:\n  - name: "A', 'The file is not an export of an agent. Line 2, column 13: Missing closing "quote.'],
  ['Hello', 'This must be an object'],
  [
    'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c]',
    'alias',
  ],
  ['{"agents": [{"greeting": "Hi."}]}', 'each needs a name'],
  ['{"agents": []}', 'each needs a name'],
])('says what is wrong with %j', async (text, problem) => {
  expect(await agentsIn(text)).toEqual({ problem: expect.stringContaining(problem) });
});

it.each([
  ['A', [], 'A (copy)'],
  ['A', ['A', 'A (copy)'], 'A (copy 2)'],
  ['A (copy 2)', ['A (copy)', 'A (copy 2)'], 'A (copy 3)'],
])('names the copy of %j beside %j', (name, taken, copy) => expect(copyName(name, taken)).toBe(copy));
