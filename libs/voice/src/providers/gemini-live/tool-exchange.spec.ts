import { describe, expect, it } from '@jest/globals';
import { ToolExchange } from './tool-exchange.js';

const exchange = (...ids: string[]): ToolExchange => {
  const tools = new ToolExchange([]);
  tools.called(
    ids.map((id) => ({ id, name: 'book', args: {} })),
    'r',
  );
  return tools;
};

describe('the results of tools for Gemini Live', () => {
  it('are complete after the last one, and carry the instruction how they are answered', () => {
    const tools = exchange('a', 'b');
    expect(tools.isComplete).toBe(false);
    tools.resulted('a', '{"id":1}');
    expect(tools.isComplete).toBe(false);
    tools.resulted('b', '{"error":{"code":"busy"},"note":"Spoken."}');
    expect(tools.isComplete).toBe(true);
    expect(tools.takeResults('Say this.')).toEqual([
      { id: 'a', name: 'book', response: { output: { id: 1 } } },
      { id: 'b', name: 'book', response: { error: { code: 'busy' }, note: 'Spoken.', instruction: 'Say this.' } },
    ]);
    expect(tools.isComplete).toBe(false);
  });

  it('do not wait for a call that the service has cancelled', () => {
    const tools = exchange('a', 'b');
    tools.resulted('a', '1');
    tools.cancelled(['b']);
    expect(tools.isComplete).toBe(true);
  });
});
