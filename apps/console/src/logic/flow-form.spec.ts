import { describe, expect, it } from '@jest/globals';
import type { WholeAgent } from '../api/types.js';
import { flowBody, flowEdits, stepsWithErrors, withoutStep, withStep } from './flow-form.js';
import { shapeOf } from './flow-graph.js';

const STORED = {
  flow: {
    start: 'identify',
    steps: [
      {
        name: 'identify',
        instructions: 'Ask why.',
        collect: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
        tools: ['find'],
        knowledge_base_ids: [4],
        exits: [
          { to: 'book', if: "vars.reason == 'book'" },
          { to: 'person', when: 'A person is wanted.' },
        ],
        max_turns: 8,
        on_limit: 'person',
      },
      { name: 'book', action: { say: 'One moment.', then: 'bye' }, voice: 'tone' },
      { name: 'bye', action: { end: true } },
      { name: 'person', action: { transfer: 'reception' } },
      { name: 'other', handoff: { agent: 7, context: 'summary' } },
    ],
  },
  handoffs: [{ agent: 7, when: 'A cancellation.', context: 'none' }],
} as unknown as Pick<WholeAgent, 'flow' | 'handoffs'>;

const unexpected = (field: string): never => {
  throw new Error(field);
};

describe('the form of a flow', () => {
  it('writes what it has read', () => {
    expect(flowBody(flowEdits(STORED), unexpected)).toEqual(STORED);
    expect(flowBody(flowEdits(undefined), unexpected)).toEqual({ flow: null, handoffs: [] });
  });

  it('renames a step wherever it is named', () => {
    const edits = flowEdits(STORED);
    const steps = edits.steps.map((step) => (step.name === 'person' ? { ...step, name: 'reception' } : step));
    expect(JSON.stringify(flowBody({ ...edits, steps }, unexpected))).not.toContain('"person"');
  });

  it('removes a step with the exits, limits and the start that lead to it', () => {
    const edits = flowEdits(STORED);
    const left = withoutStep(withoutStep(edits, 3), 0);
    expect(flowBody(left, unexpected)).toMatchObject({ flow: { start: 'book' } });
    expect(withoutStep(edits, 3).steps[0]).toMatchObject({ exits: [{ to: 1 }], onLimit: -1 });
  });

  it('gives new steps names that are free, and the first one the start', () => {
    const one = withStep(flowEdits(undefined));
    const two = withStep(one.edits);
    expect(two.edits).toMatchObject({ start: one.key, steps: [{ name: 'start' }, { name: 'step_2' }] });
  });

  it('reports a schema that is not JSON at its step', () => {
    const found: string[] = [];
    const edits = flowEdits(STORED);
    flowBody({ ...edits, steps: edits.steps.map((step) => ({ ...step, collect: '{' })) }, (field) => found.push(field));
    expect(found[1]).toBe('flow.steps.1.collect');
  });

  it('knows the steps of errors', () => {
    expect(stepsWithErrors(['flow.steps.2.exits.0.if', 'flow.steps.2.name', 'flow', 'flow.steps.12', 'name'])).toEqual([
      2, 12,
    ]);
  });
});

it('a flow is drawn with a way for each exit, action and limit', () => {
  const { nodes, edges } = shapeOf(flowEdits(STORED), (id) => `agent ${id}`);
  expect(nodes.map(({ does }) => does)).toEqual([
    'Collects reason',
    'Says “One moment.”',
    'Ends the call',
    'Transfers to reception',
    'Hands over to agent 7',
  ]);
  expect(edges.map(({ from, to, label }) => `${from} ${to} ${label}`)).toEqual([
    "0 1 1. if vars.reason == 'book'",
    '0 3 2. when A person is wanted.',
    '0 3 after 8 turns',
    '1 2 then',
  ]);
});
