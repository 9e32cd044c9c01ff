import { afterEach, describe, expect, it } from '@jest/globals';
import { readScript, SandboxServer } from '@app/sandbox';
import { answerOf, asked, modelOf, type VendorName, VENDORS } from '../../../../test/model-answers.js';
import { EVENT_STREAM, RawServer } from '../../../../../../test/support/raw-server.js';
import { speech } from '../../../../test/test-call.js';
import { systemClock } from '../../../clock.js';
import { type ProviderSettings, providerSettings } from '../../provider-settings.js';
import { ProviderUnavailable } from '../../voice-provider.js';
import { openModel } from '../leg-registry.js';
import type { ModelChoice } from '../pipeline-options.js';
import type { GenerationRequest } from '../ports.js';
import { geminiSchema } from './google-model.js';

const TOOLS: GenerationRequest['tools'] = [
  {
    name: 'order',
    description: 'Orders tea.',
    parameters: { type: 'object', properties: { cups: { type: 'integer' } } },
  },
];
const CHOICE = { model: 'm-1', temperature: 0.5, maxTokens: 300 };

let servers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
});

/** A server that refuses every request; the requests are of interest. */
async function aServer(): Promise<RawServer> {
  const server = await RawServer.start((response) => void response.writeHead(500).end());
  servers.push(server);
  return server;
}

async function sent(
  vendor: VendorName,
  request = asked('Hi', { tools: TOOLS }),
  choice: Partial<ModelChoice> = CHOICE,
) {
  const server = await aServer();
  const model = await modelOf(vendor, server, choice);
  await answerOf(model, request);
  const [{ url, headers, body }] = server.requests as [(typeof server.requests)[0]];
  return { url, headers, body: JSON.parse(body) as Record<string, unknown> };
}

describe('a request', () => {
  it('to a compatible server has the options of the agent, its tools and the key', async () => {
    const { url, headers, body } = await sent('openai-compatible');
    expect([url, headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer secret-key']);
    expect(headers['user-agent']).toMatch(/^trunkline\//);
    expect(body).toEqual({
      model: 'm-1',
      temperature: 0.5,
      max_tokens: 300,
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'You are Ada.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [{ type: 'function', function: TOOLS[0] }],
      tool_choice: 'auto',
    });
  });

  it('to Anthropic lets the service cache tools and instructions, and always has a limit', async () => {
    const { url, headers, body } = await sent('anthropic', asked('Hi', { tools: TOOLS }), { model: 'm-1' });
    expect([url, headers['x-api-key']]).toEqual(['/v1/messages', 'secret-key']);
    expect(body).toMatchObject({
      model: 'm-1',
      max_tokens: 4096,
      system: [{ type: 'text', text: 'You are Ada.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      tools: [{ name: 'order', input_schema: TOOLS[0]?.parameters }],
      stream: true,
    });
    expect(body).not.toHaveProperty('temperature');
    expect((await sent('anthropic')).body).toMatchObject({ max_tokens: 300, temperature: 0.5 });
    // The range of other vendors is 0 to 2.
    expect((await sent('anthropic', asked('Hi'), { temperature: 1.5 })).body).toMatchObject({ temperature: 1 });
  });

  it('to Google has the parameters of tools within its subset of schemas', async () => {
    const { url, headers, body } = await sent('google');
    expect([url, headers['x-goog-api-key']]).toEqual([
      '/v1beta/models/m-1:streamGenerateContent?alt=sse',
      'secret-key',
    ]);
    const parameters = { type: 'object', properties: { cups: { type: 'integer' } } };
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: 'You are Ada.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      generationConfig: { temperature: 0.5, maxOutputTokens: 300 },
      tools: [{ functionDeclarations: [{ name: 'order', description: 'Orders tea.', parameters }] }],
    });
  });

  it.each<[VendorName, string, ModelChoice['reasoningEffort'], object]>([
    ['openai', 'gpt-5.1-mini', undefined, { reasoning_effort: 'none' }],
    ['openai', 'gpt-5-nano-2025-08-07', undefined, { reasoning_effort: 'minimal' }],
    ['openai', 'o4-mini', undefined, { reasoning_effort: 'low' }],
    ['openai', 'gpt-4.1-mini', undefined, {}],
    ['openai', 'gpt-5-chat-latest', undefined, {}],
    ['openai', 'gpt-5.1', 'high', { reasoning_effort: 'high' }],
    ['openai-compatible', 'gpt-5.1', undefined, {}],
    ['openai-compatible', 'qwen3:8b', 'none', { reasoning_effort: 'none' }],
    ['anthropic', 'claude-haiku-4-5', undefined, {}],
    ['anthropic', 'claude-haiku-4-5', 'none', { thinking: { type: 'disabled' } }],
    [
      'anthropic',
      'claude-haiku-4-5',
      'low',
      { thinking: { type: 'enabled', budget_tokens: 2_048 }, max_tokens: 6_144 },
    ],
    ['anthropic', 'claude-opus-4-6', 'minimal', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['anthropic', 'claude-opus-5-5', undefined, { output_config: { effort: 'low' } }],
    ['google', 'gemini-2.5-flash', undefined, { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    ['google', 'gemini-2.5-pro', 'none', { generationConfig: { thinkingConfig: { thinkingBudget: 128 } } }],
    ['google', 'gemini-3-flash', undefined, { generationConfig: { thinkingConfig: { thinkingLevel: 'minimal' } } }],
    ['google', 'gemini-3-pro-preview', 'none', { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }],
    ['google', 'gemini-2.0-flash', undefined, {}],
  ])(
    'to %s for the model %s with the effort %s has the option of the vendor',
    async (vendor, model, effort, expected) => {
      const { body } = await sent(vendor, asked('Hi'), { model, reasoningEffort: effort });
      const generation = (body.generationConfig ?? {}) as { thinkingConfig?: object };
      const found = {
        ...('reasoning_effort' in body && { reasoning_effort: body.reasoning_effort }),
        ...('thinking' in body && { thinking: body.thinking }),
        ...('output_config' in body && { output_config: body.output_config }),
        ...('max_tokens' in expected && { max_tokens: body.max_tokens }),
        ...(generation.thinkingConfig && { generationConfig: { thinkingConfig: generation.thinkingConfig } }),
      };
      expect(found).toEqual(expected);
    },
  );

  it.each(VENDORS)('to %s without instructions and options has none', async (vendor) => {
    const { body } = await sent(vendor, asked('Hi', { instructions: ' ' }), {});
    const json = JSON.stringify(body);
    for (const name of ['temperature', '"system"', 'systemInstruction', 'tools', 'tool_choice', 'toolConfig'])
      expect(json).not.toContain(name);
  });

  it.each<[VendorName, object]>([
    ['openai', { tools: undefined, tool_choice: undefined }],
    ['openai-compatible', { tools: undefined, tool_choice: undefined }],
    ['anthropic', { tools: [{ name: 'order' }], tool_choice: { type: 'none' } }],
    ['google', { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }],
  ])('to %s that allows no calls keeps the definitions where the vendor needs them', async (vendor, expected) => {
    const server = await aServer();
    const model = await modelOf(vendor, server, CHOICE);
    await answerOf(model, asked('Hi', { tools: TOOLS }));
    await answerOf(model, asked('Hi there'));
    const body = JSON.parse(server.requests[1]!.body) as Record<string, unknown>;
    const names = Object.keys(expected);
    expect(Object.fromEntries(names.map((name) => [name, body[name]]))).toMatchObject(expected);
  });

  it.each([
    [
      '/openai/deployments/gpt?api-version=2024-10-21',
      '/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    ],
    ['/v1/chat/completions?x=1&y=a%20b', '/v1/chat/completions?x=1&y=a+b'],
    ['/api/v1/', '/api/v1/chat/completions'],
    ['', '/v1/chat/completions'],
  ])('goes below the address %j', async (path, expected) => {
    const server = await aServer();
    const settings = providerSettings({ COMPATIBLE_URL: `http://127.0.0.1:${server.port}${path}` });
    const choice = { provider: 'openai-compatible' as const, model: 'm' };
    const model = await openModel(choice, { settings, clock: systemClock, speech });
    await answerOf(model, asked('Hi'));
    expect(server.requests[0]?.url).toBe(expected);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('over the Internet without TLS is not sent', async () => {
    const server = { url: 'http://8.8.8.8/v1', key: 'k' };
    const settings = { vendors: { compatible: server, google: server } };
    for (const provider of ['openai-compatible', 'google'] as const) {
      const opening = openModel({ provider, model: 'm' }, { settings, clock: systemClock, speech });
      await expect(opening).rejects.toThrow(ProviderUnavailable);
      await expect(opening).rejects.toThrow('must be wss:// or https://');
    }
  });

  it('to a server that is not there is reported', async () => {
    const server = await aServer();
    const { port } = server;
    await server.stop();
    servers = [];
    const model = await modelOf('anthropic', { port });
    const { error } = await answerOf(model, asked('Hi'));
    expect([error?.constructor, error?.message]).toEqual([
      Error,
      expect.stringContaining('cannot be reached (ECONNREFUSED)'),
    ]);
    await expect(model.prepare!(new AbortController().signal)).resolves.toBeUndefined();
  });
});

describe('a language model', () => {
  const open = (choice: ModelChoice, settings: ProviderSettings) =>
    openModel(choice, { settings, clock: systemClock, speech });

  it.each<[VendorName, string]>([
    ['openai', 'needs OPENAI_API_KEY, or OPENAI_URL for another server'],
    ['openai-compatible', 'needs COMPATIBLE_URL'],
    ['anthropic', 'needs ANTHROPIC_API_KEY, or ANTHROPIC_URL for another server'],
    ['google', 'needs GEMINI_API_KEY, or GOOGLE_URL for another server'],
  ])('of %s names what is missing', async (provider, message) => {
    await expect(open({ provider, model: 'm' }, {})).rejects.toThrow(message);
    const server = { url: 'https://example.com/v1', key: 'k' };
    const settings = { vendors: { openai: server, compatible: server, anthropic: server, google: server } };
    await expect(open({ provider }, settings)).rejects.toThrow('needs the name of a model in the agent');
    await expect(open({ provider, model: 'm' }, settings)).resolves.toMatchObject({ name: `${provider}:m` });
  });

  it.each(VENDORS)('of %s is played by the sandbox server without a key and a model', async (provider) => {
    const script = readScript({ rules: [{ on: { text: 'hello' }, say: 'Played.' }] });
    const server = await SandboxServer.start({ speech, script });
    servers.push({ stop: () => server.close() });
    const { vendors } = providerSettings({
      OPENAI_URL: 'sandbox',
      COMPATIBLE_URL: 'sandbox',
      ANTHROPIC_URL: 'sandbox',
      GOOGLE_URL: 'sandbox',
    });
    const model = await open({ provider }, { vendors, sandbox: { url: server.url, key: server.key } });
    expect((await answerOf(model, asked('Hello'))).text).toBe('Played.');
    await expect(open({ provider }, { vendors })).rejects.toThrow(ProviderUnavailable);
  });

  it('of Gemini 3 gets the signatures of its thoughts back with its calls', async () => {
    const rules = [
      { on: { text: 'tea' }, call: { tool: 'order', arguments: { cups: 2 } } },
      { on: { tool: 'order' }, say: 'Ordered.' },
    ];
    const server = await SandboxServer.start({ speech, script: readScript({ rules }) });
    servers.push({ stop: () => server.close() });
    const model = await modelOf('google', server, { model: 'gemini-3-sandbox' });
    const question = asked('Tea, please', { tools: TOOLS });
    const { calls } = await answerOf(model, question);
    const messages: GenerationRequest['messages'] = [
      ...question.messages,
      { role: 'assistant', text: '', toolCalls: calls },
      { role: 'tool_results', results: calls.map(({ id, name }) => ({ id, name, result: 'null' })) },
    ];
    // The second model has not seen the call, as after a fallback.
    for (const one of [model, await modelOf('google', server, { model: 'gemini-3-sandbox' })])
      expect((await answerOf(one, { ...question, messages })).text).toBe('Ordered.');
  });
});

describe('the usage', () => {
  const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
  const anthropic = [
    {
      type: 'message_start',
      message: {
        id: 'm1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, cache_creation_input_tokens: 200, cache_read_input_tokens: 3000, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello.' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 50 } },
    { type: 'message_stop' },
  ];
  const parts = [{ text: 'Hm.', thought: true }, { text: 'Hello.' }];
  const google = [
    { candidates: [{ content: { role: 'model', parts } }], usageMetadata: { promptTokenCount: 9 } },
    {
      candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 3210,
        cachedContentTokenCount: 3000,
        candidatesTokenCount: 8,
        thoughtsTokenCount: 42,
      },
    },
  ];

  it.each<[VendorName, object[]]>([
    ['anthropic', anthropic],
    ['google', google],
  ])('of %s has cached tokens apart and thoughts as output, and no thought is spoken', async (vendor, events) => {
    const server = await RawServer.start(
      (response) => void response.writeHead(200, EVENT_STREAM).end(events.map(event).join('')),
    );
    servers.push(server);
    const { text, usage, error } = await answerOf(await modelOf(vendor, server), asked('Hi'));
    expect([text, error]).toEqual(['Hello.', undefined]);
    expect(usage.map(({ kind, quantity }) => [kind, quantity])).toEqual([
      ['input_text_tokens', 0.21],
      ['cached_text_tokens', 3],
      ['output_text_tokens', 0.05],
    ]);
  });
});

describe('a tool for Gemini', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['without parameters', { type: 'object', properties: {} }, { type: 'object', properties: {} }],
    [
      'with references, numbers as choices and null',
      {
        type: 'object',
        $defs: { city: { type: ['string', 'null'], format: 'city', description: 'Where.' } },
        properties: {
          city: { $ref: '#/$defs/city' },
          cups: { enum: [1, 2] },
          at: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
        },
        required: ['city'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: {
          city: { type: ['string', 'null'], description: expect.stringContaining('Where.') },
          cups: { type: 'number', description: '(one of [1,2])' },
          at: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
        },
        required: ['city'],
      },
    ],
    [
      'with lists and objects',
      {
        type: 'object',
        properties: { all: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } } },
      },
      {
        type: 'object',
        properties: { all: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } } },
      },
    ],
  ])('%s has a schema that the service accepts', (_, parameters, expected) => {
    expect(geminiSchema({ name: 'order', description: '', parameters })).toMatchObject(expected);
  });
});
