import { describe, expect, it } from '@jest/globals';
import { ANALYSIS_FORM, newQuestion } from './analysis-form.js';
import type { FormShape } from './form-or-json.js';
import { newDestination, TRANSFER_FORM } from './transfer-form.js';

function stateOf<State>(shape: FormShape<State>, value: Record<string, unknown>): State {
  const found = shape.read(value);
  if (!('state' in found)) throw new Error(found.reason);
  return found.state;
}

const reason = (text: string) => ({ reason: expect.stringContaining(text) });

describe('the form of an analysis', () => {
  it.each([
    ['a summary', { summary_prompt: 'Two sentences.' }],
    [
      'values, questions and a model',
      {
        extract: { type: 'object', properties: { order_number: { type: 'string', pattern: '^\\d+$' } } },
        rubric: [
          { name: 'checked', question: 'Did the agent ask?', type: 'boolean' },
          { name: 'mood', question: 'How did the caller sound?', type: 'enum', options: ['calm', 'very annoyed'] },
          { name: 'polite', question: 'How polite was it?', type: 'score' },
        ],
        model: { provider: 'openai', model: 'gpt-5.1-mini', reasoning_effort: 'low' },
      },
    ],
    ['empty lists', { extract: { type: 'object', properties: {} }, rubric: [] }],
  ])('shows %s and loses nothing', (_what, analysis) => {
    expect(ANALYSIS_FORM.write(stateOf(ANALYSIS_FORM, analysis))).toEqual(analysis);
  });

  it.each([
    ['an unknown key', { tone: 'x' }, 'uses “tone”'],
    ['nested values', { extract: { type: 'object', properties: { a: { type: 'object' } } } }, 'In “extract”: “a” is'],
    ['answers of a question that has none', { rubric: [{ type: 'score', options: ['a', 'b'] }] }, '“options” of'],
    ['an unknown type', { rubric: [{ name: 'a', question: 'b', type: 'text' }] }, 'Question 1 has an unknown type'],
  ])('leaves %s to JSON, with the reason', (_what, analysis, text) => {
    expect(ANALYSIS_FORM.read(analysis)).toEqual(reason(text));
  });

  it('is null while nothing is asked for, and begins with the first question', () => {
    const empty = stateOf(ANALYSIS_FORM, {});
    expect(ANALYSIS_FORM.write(empty)).toBeNull();
    const question = { ...newQuestion(0), name: 'ok', question: 'Was it?', type: 'enum' as const, options: 'a\n\n b ' };
    expect(ANALYSIS_FORM.write({ ...empty, rubric: [question] })).toEqual({
      rubric: [{ name: 'ok', question: 'Was it?', type: 'enum', options: ['a', 'b'] }],
    });
  });
});

describe('the form of transfers', () => {
  const whole = {
    briefing: 'summary',
    accept_prompt: 'Do you take it?',
    accept_timeout_seconds: 30,
    destinations: [
      { name: 'support', to_number: '+15550002222', description: 'Technical questions', ring_timeout_seconds: 20 },
      {
        ...{ name: 'billing', to_number: 'sip:desk@pbx.example.com', extension: ',,204#', uui: 'ticket' },
        headers: { 'X-Customer-Id': 'customer_id', Subject: 'a: b' },
      },
    ],
  };

  it('shows every setting and loses nothing', () => {
    expect(TRANSFER_FORM.write(stateOf(TRANSFER_FORM, whole))).toEqual(whole);
  });

  it('shows destinations as the API returns them, with nulls for what is absent', () => {
    const [first] = whole.destinations;
    const stored = { ...first, extension: null, headers: {}, uui: null };
    const state = stateOf(TRANSFER_FORM, { ...whole, accept_prompt: null, destinations: [stored] });
    expect(TRANSFER_FORM.write(state)).toEqual({ ...whole, accept_prompt: null, destinations: [first] });
  });

  it.each([
    ['an unknown key', { queue: 'x' }, 'uses “queue”'],
    [
      'an unknown key of a destination',
      { destinations: [{ name: 'a', priority: 1 }] },
      'Destination 1 uses “priority”',
    ],
    ['a header of several lines', { destinations: [{ headers: { 'X-A': 'a\nb' } }] }, 'A header of destination 1'],
  ])('leaves %s to JSON, with the reason', (_what, options, text) => {
    expect(TRANSFER_FORM.read(options)).toEqual(reason(text));
  });

  it('writes a header without a source for the error of the API', () => {
    const state = { ...stateOf(TRANSFER_FORM, {}), destinations: [{ ...newDestination(0), headers: 'X-A' }] };
    expect(TRANSFER_FORM.write(state)).toMatchObject({ destinations: [{ headers: { 'X-A': '' } }] });
  });
});
