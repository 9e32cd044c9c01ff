import { expect, it } from '@jest/globals';
import { mcpResult } from './mcp-result.js';

const ID = { order_id: Number('8389765929445198309') };

it.each<[string, Parameters<typeof mcpResult>[0], unknown]>([
  ['a small number', { content: [], structuredContent: { a: 1 } }, { value: { structured_content: { a: 1 } } }],
  [
    'a number with many digits, which its text repeats',
    { content: [{ type: 'text', text: '{"order_id":8389765929445198309}' }], structuredContent: ID },
    { value: { text: '{"order_id":8389765929445198309}' } },
  ],
  [
    'a number with many digits alone',
    { content: [], structuredContent: ID },
    {
      error: {
        code: 'unreadable_answer',
        message: 'The MCP server returned a number with too many digits to be read exactly.',
      },
    },
  ],
])('the result of an MCP server with %s', (_, result, expected) => expect(mcpResult(result)).toEqual(expected));
