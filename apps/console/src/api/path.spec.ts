import { describe, expect, it } from '@jest/globals';
import { apiPath } from './path.js';

describe('a path of the API', () => {
  it.each([
    ['4711', 'calls/4711/events'],
    ['a b?c#d', 'calls/a%20b%3Fc%23d/events'],
    ['%2e%2e', 'calls/%252e%252e/events'],
    ['...', 'calls/.../events'],
  ])('encodes the segment %s', (id, path) => expect(String(apiPath`calls/${id}/events`)).toBe(path));

  it.each(['', '.', '..', '../tokens', 'a/b', '..\\tokens'])('refuses the segment "%s"', (id) =>
    expect(() => apiPath`calls/${id}`).toThrow('This address is not valid.'),
  );

  it('goes on from another path', () => {
    const tools = apiPath`agents/${7}/tools`;
    expect(String(apiPath`${tools}/${'a b'}/invoke`)).toBe('agents/7/tools/a%20b/invoke');
  });
});
