import { describe, expect, it } from '@jest/globals';
import { systemNote, YOUR_TURN } from '../../realtime-wording.js';
import type { ModelMessage } from '../ports.js';
import { vendorMessages } from './model-messages.js';

const user = (content: string) => ({ role: 'user', content });
const agent = (...content: unknown[]) => ({ role: 'assistant', content });
const text = (value: string) => ({ type: 'text', text: value });
const call = (toolCallId: string, input: unknown, more: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'order',
  input,
  ...more,
});
const results = (...all: [id: string, value: unknown, type?: string][]) => ({
  role: 'tool',
  content: all.map(([toolCallId, value, type = 'json']) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'order',
    output: { type, value },
  })),
});
const PENDING = { error: 'The result is not there yet.' };

const called = (...calls: [id: string, json: string][]): ModelMessage => ({
  role: 'assistant',
  text: '',
  toolCalls: calls.map(([id, json]) => ({ id, name: 'order', arguments: json })),
});
const resulted = (...all: [id: string, result: string][]): ModelMessage => ({
  role: 'tool_results',
  results: all.map(([id, result]) => ({ id, name: 'order', result })),
});

describe('a conversation for the vendors', () => {
  it.each<[string, ModelMessage[], unknown[]]>([
    ['is never empty', [], [user(YOUR_TURN)]],
    [
      'begins with the user',
      [
        { role: 'assistant', text: 'Hi.' },
        { role: 'user', text: 'Yes?' },
      ],
      [user(YOUR_TURN), agent(text('Hi.')), user('Yes?')],
    ],
    [
      'ends with the user',
      [
        { role: 'user', text: 'Hi' },
        { role: 'assistant', text: 'Hi.' },
      ],
      [user('Hi'), agent(text('Hi.')), user(YOUR_TURN)],
    ],
    [
      'joins the texts of one side, and has no empty ones',
      [
        { role: 'user', text: ' One. ' },
        { role: 'assistant', text: '' },
        { role: 'user', text: '\n' },
        { role: 'user', text: 'Two.\n\nThree.' },
        { role: 'assistant', text: 'A.' },
        { role: 'assistant', text: 'B.' },
        { role: 'user', text: 'Four.' },
      ],
      [user('One.\n\nTwo.\nThree.'), agent(text('A.'), text('B.')), user('Four.')],
    ],
    [
      'has notes as texts of the user, marked once',
      [
        { role: 'system', text: 'Note.' },
        { role: 'system', text: systemNote('Marked.') },
      ],
      [user(`${systemNote('Note.')}\n\n${systemNote('Marked.')}`)],
    ],
    [
      'has the results behind their calls',
      [
        { role: 'user', text: 'Tea' },
        called(['a', '{"cups":2}'], ['b', '']),
        resulted(['b', '"two"'], ['a', 'no JSON']),
      ],
      [user('Tea'), agent(call('a', { cups: 2 }), call('b', {})), results(['a', 'no JSON', 'text'], ['b', 'two'])],
    ],
    [
      'has a late result behind its call, before what the user said meanwhile',
      [
        { role: 'user', text: 'Tea' },
        called(['a', '{}']),
        { role: 'user', text: 'And?' },
        resulted(['a', '{"ok":true}']),
      ],
      [user('Tea'), agent(call('a', {})), results(['a', { ok: true }]), user('And?')],
    ],
    [
      'has a result for a call that has none, and an object for arguments that are none',
      [{ role: 'user', text: 'Tea' }, called(['a', '[1']), { role: 'user', text: 'And?' }],
      [user('Tea'), agent(call('a', { invalid_arguments: '[1' })), results(['a', PENDING]), user('And?')],
    ],
    [
      'keeps equal ids of different answers apart',
      [
        { role: 'user', text: 'Tea' },
        called(['a', '{"n":1}']),
        resulted(['a', '1']),
        called(['a', '{"n":2}']),
        resulted(['a', '2']),
      ],
      [user('Tea'), agent(call('a', { n: 1 })), results(['a', 1]), agent(call('a', { n: 2 })), results(['a', 2])],
    ],
    [
      'has ids that every vendor accepts',
      [{ role: 'user', text: 'Tea' }, called([`x:y/${'z'.repeat(99)}`, '{}'], ['', '{}'])],
      [
        user('Tea'),
        agent(call(`x_y_${'z'.repeat(60)}`, {}), call('call', {})),
        results([`x_y_${'z'.repeat(60)}`, PENDING], ['call', PENDING]),
      ],
    ],
    [
      'has results of unknown calls as notes',
      [resulted(['a', '{"ok":true}'])],
      [user(systemNote('You called the tool order with {}. It returned: {"ok":true}'))],
    ],
  ])('%s', (_, messages, expected) => {
    expect(vendorMessages(messages)).toEqual(expected);
  });

  it('returns the metadata of a call to its vendor', () => {
    const metadata = { google: { thoughtSignature: 'abc' } };
    const messages: ModelMessage[] = [{ role: 'user', text: 'Tea' }, called(['a', '{}'], ['b', '{}'])];
    const [, answer] = vendorMessages(messages, (id) =>
      id === 'a' ? { providerOptions: metadata, thoughts: [] } : undefined,
    );
    expect(answer).toEqual(agent(call('a', {}, { providerOptions: metadata }), call('b', {})));
  });
});
