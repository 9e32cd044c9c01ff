import { describe, expect, it } from '@jest/globals';
import { describeError, rebuildError } from './thread-errors.js';

class NoVoice extends Error {
  override readonly name = 'NoVoice';
}

describe('an error of another thread', () => {
  it('has its class again if the receiver knows it', () => {
    const error = rebuildError(structuredClone(describeError(new NoVoice('silent'))), { NoVoice });
    expect([error, error.message]).toEqual([expect.any(NoVoice), 'silent']);
  });

  it('keeps name and message otherwise', () => {
    const error = rebuildError(structuredClone(describeError(new NoVoice('silent'))));
    expect(error).not.toBeInstanceOf(NoVoice);
    expect(String(error)).toBe('NoVoice: silent');
  });

  it.each([
    ['broken', 'Error: broken'],
    [undefined, 'Error: undefined'],
  ])('that is %j and not an Error becomes one', (thrown, text) => {
    expect(String(rebuildError(describeError(thrown)))).toBe(text);
  });

  it('of a name that every object has is an Error', () => {
    expect(String(rebuildError({ name: 'constructor', message: 'x' }, {}))).toBe('constructor: x');
  });
});
