import { describe, expect, it } from '@jest/globals';
import { Dialogue } from './dialogue.js';

describe('the memory of a pipeline', () => {
  it('loses the beginning of a long conversation, and keeps calls together with their results', () => {
    const dialogue = new Dialogue([]);
    for (let turn = 0; turn < 200; turn++) {
      dialogue.user(`Question ${turn} ${'x'.repeat(400)}`);
      dialogue.called(`item-${turn}`, { id: `call-${turn}`, name: 'look_up', arguments: '{}' });
      dialogue.resulted(`call-${turn}`, JSON.stringify('y'.repeat(400)));
      dialogue.messages();
    }
    const messages = dialogue.messages();
    const length = JSON.stringify(messages).length;
    expect(length).toBeGreaterThan(45_000);
    expect(length).toBeLessThan(90_000);
    expect(JSON.stringify(messages)).toContain('Question 199 ');
    expect(JSON.stringify(messages)).not.toContain('Question 3 ');
    const called = messages
      .flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []))
      .map(({ id }) => id);
    const answered = messages.flatMap((one) => (one.role === 'tool_results' ? one.results : [])).map(({ id }) => id);
    expect(answered).toEqual(called);
  });

  it('has words that were said while a tool ran before its result, which the model answers', () => {
    const dialogue = new Dialogue([{ role: 'user', text: 'Where is my order?' }]);
    const said = (text: string) => ({ text, audioMs: 1_000, words: [], isComplete: true });
    dialogue.delivered('a', said('I will look.'));
    dialogue.called('a', { id: 'call-1', name: 'find_order', arguments: '{}' });
    dialogue.delivered('b', said('One moment, please.'));
    dialogue.resulted('call-1', '"tomorrow"');
    expect(dialogue.messages().slice(1)).toEqual([
      {
        role: 'assistant',
        text: 'I will look. One moment, please.',
        toolCalls: [{ id: 'call-1', name: 'find_order', arguments: '{}' }],
      },
      { role: 'tool_results', results: [{ id: 'call-1', name: 'find_order', result: '"tomorrow"' }] },
    ]);
    dialogue.delivered('c', said('It comes tomorrow.'));
    expect(dialogue.messages().at(-2)).toEqual({ role: 'assistant', text: 'It comes tomorrow.' });
  });

  it('keeps the latest words when they alone are longer', () => {
    const dialogue = new Dialogue([]);
    dialogue.user('Hello.');
    dialogue.user('z'.repeat(100_000));
    expect(dialogue.messages()).toEqual([{ role: 'user', text: 'z'.repeat(100_000) }]);
  });

  it.each([
    [
      'by the times of its words',
      [
        ['We', 0, 200],
        ['open', 200, 500],
        ['at', 500, 600],
        ['nine.', 600, 1_000],
      ],
      'We open',
    ],
    ['in proportion to its audio without them', [], 'We open'],
  ] as [string, [string, number, number][], string][])('cuts an interrupted answer %s', (_how, times, heard) => {
    const dialogue = new Dialogue([{ role: 'user', text: 'When do you open?' }]);
    const words = times.map(([text, startMs, endMs]) => ({ text, startMs, endMs }));
    dialogue.delivered('a', { text: 'We open at nine.', audioMs: 1_000, words, isComplete: true });
    dialogue.truncate('a', 490);
    expect(dialogue.messages()[1]).toEqual({ role: 'assistant', text: `${heard} [interrupted]` });
  });
});
