import { expect, it } from '@jest/globals';
import { answerOf, asked, modelOf } from '../../../../test/model-answers.js';
import { EVENT_STREAM, RawServer } from '../../../../../../test/support/raw-server.js';
import type { GenerationRequest } from '../ports.js';

const TOOLS = [{ name: 'order', description: 'Orders tea.', parameters: { type: 'object', properties: {} } }];

it('a model of Anthropic gets its signed thoughts back with its calls, and does not think on about calls of others', async () => {
  const events = [
    {
      type: 'message_start',
      message: { id: 'm', role: 'assistant', content: [], model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Two cups.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'signed' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 't1', name: 'order', input: {} },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
  const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const server = await RawServer.start((response) => void response.writeHead(200, EVENT_STREAM).end(stream));
  const model = await modelOf('anthropic', server, { model: 'claude-haiku-4-5', reasoningEffort: 'low' });
  const { calls } = await answerOf(model, asked('Tea', { tools: TOOLS }));
  expect(calls).toHaveLength(1);
  const conversation = (id: string): GenerationRequest['messages'] => [
    { role: 'user', text: 'Tea' },
    { role: 'assistant', text: '', toolCalls: [{ id, name: 'order', arguments: '{}' }] },
    { role: 'tool_results', results: [{ id, name: 'order', result: '"ok"' }] },
  ];
  for (const id of ['t1', 'of-another']) {
    await answerOf(model, { ...asked('', { tools: TOOLS }), messages: conversation(id) });
  }
  const [own, other] = server.requests.slice(1).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(own).toMatchObject({
    thinking: { type: 'enabled' },
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Two cups.', signature: 'signed' }, { type: 'tool_use' }],
      },
      { role: 'user' },
    ],
  });
  expect(other).not.toHaveProperty('thinking');
  await server.stop();
});
