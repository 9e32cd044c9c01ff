import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Message as AnthropicMessage, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import { newId } from '../../server/response-run.js';
import type { Reply } from '../../server/scripted-agent.js';
import type { EmulatorServices, HttpEmulator } from '../emulator.js';
import {
  answering,
  readRequest,
  refuseByFault,
  RefusedRequest,
  sendEvents,
  sendJson,
  type ServerSentEvent,
} from './model-answer.js';
import { type Message, type ModelRequest, partsOf, replyTo, usageOf } from './model-conversation.js';

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const textBlock = z.looseObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must contain non-whitespace text'),
  cache_control: cacheControl,
});
const toolUse = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string().regex(/^[\w-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
});
const toolResult = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[\w-]+$/),
  content: z.union([z.string(), z.array(textBlock)]).optional(),
  is_error: z.boolean().optional(),
});
const content = z.union([
  z.string().min(1),
  z.array(z.discriminatedUnion('type', [textBlock, toolUse, toolResult])).max(1_000),
]);

const requestSchema = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content }))
    .min(1)
    .max(5_000),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z
    .array(
      z.looseObject({
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        cache_control: cacheControl,
      }),
    )
    .max(128)
    .optional(),
  tool_choice: z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) }).optional(),
  temperature: z.number().min(0).max(1).optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1_024) }),
      z.looseObject({ type: z.literal('adaptive') }),
      z.looseObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  output_config: z.looseObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional() }).optional(),
  stream: z.boolean().optional(),
});

type MessagesRequest = z.output<typeof requestSchema>;
type Block = Exclude<z.output<typeof content>, string>[number];

/** `POST …/messages` of Anthropic. */
export const anthropicMessages: HttpEmulator = {
  answers: (method, { pathname }) => method === 'POST' && pathname.endsWith('/v1/messages'),
  answer: answering(complete, (error, response) => {
    const { status, message, headers } = error;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type: typeOf(status), message }, request_id: newId('req') }));
  }),
};

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};
const typeOf = (status: number): string => TYPES[status] ?? 'api_error';

async function complete(request: IncomingMessage, response: ServerResponse, services: EmulatorServices): Promise<void> {
  if (!services.isKnown(request)) throw new RefusedRequest(401, 'invalid x-api-key');
  if (request.headers['anthropic-version'] === undefined)
    throw new RefusedRequest(400, 'anthropic-version: header is required');
  const body = await readRequest(request, requestSchema);
  const opened = services.scripts.openLeg(body.model, 'model');
  if (!opened) throw new RefusedRequest(404, `model: ${body.model}`);
  refuseByFault(opened.faults);
  const read = readMessages(body);
  const message = messageOf(body, replyTo(opened.script, read), read);
  if (!body.stream) return sendJson(response, opened.faults, message);
  await sendEvents(response, opened.faults, eventsOf(message));
}

function readMessages({ messages, system, tools = [], tool_choice: choice }: MessagesRequest): ModelRequest {
  if (messages[0]?.role !== 'user') throw new RefusedRequest(400, 'messages: first message must use the "user" role');
  const names = new Map<string, string>();
  const read = messages.flatMap(({ role, content: given }, index) => {
    const blocks: Block[] = typeof given === 'string' ? [{ type: 'text', text: given }] : given;
    checkBlocks(messages, index, blocks);
    if (role === 'user') return userMessages(blocks, names);
    const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    for (const { id, name } of calls) names.set(id, name);
    if (calls.length > 0 && tools.length === 0)
      throw new RefusedRequest(400, 'Requests which include `tool_use` or `tool_result` blocks must define tools');
    const asked = calls.map(({ id, name, input }) => ({ id, name, arguments: input }));
    return [{ role: 'assistant' as const, text: textOf(blocks), calls: asked }];
  });
  return {
    instructions: typeof system === 'string' ? system : textOf(system ?? []),
    messages: read,
    tools: choice?.type === 'none' ? [] : tools.map(({ name }) => name),
  };
}

function userMessages(blocks: readonly Block[], names: ReadonlyMap<string, string>): Message[] {
  return blocks.flatMap((block): Message[] => {
    if (block.type === 'text') return [{ role: 'user', text: block.text }];
    if (block.type === 'tool_use') return [];
    const { tool_use_id: id, content: given = '' } = block;
    const output = typeof given === 'string' ? given : textOf(given);
    return [{ role: 'tool', id, name: names.get(id) ?? '', output }];
  });
}

/** Each `tool_use` has its `tool_result` in the next message, and each result its call in the message before. */
function checkBlocks(messages: MessagesRequest['messages'], index: number, blocks: readonly Block[]): void {
  const ids = (of: number, type: 'tool_use' | 'tool_result'): string[] => {
    const given = messages[of]?.content ?? [];
    return (typeof given === 'string' ? [] : given).flatMap((block) => {
      if (block.type !== type) return [];
      return [block.type === 'tool_use' ? block.id : block.tool_use_id];
    });
  };
  if (blocks.length === 0 && index < messages.length - 1)
    throw new RefusedRequest(400, `messages.${index}: all messages must have non-empty content`);
  const results = ids(index + 1, 'tool_result');
  const missing = ids(index, 'tool_use').filter((id) => !results.includes(id));
  if (missing.length > 0)
    throw new RefusedRequest(
      400,
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}.`,
    );
  const calls = ids(index - 1, 'tool_use');
  const unexpected = ids(index, 'tool_result').find((id) => !calls.includes(id));
  if (unexpected !== undefined)
    throw new RefusedRequest(
      400,
      `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unexpected}.`,
    );
}

const textOf = (blocks: readonly { type: string; text?: unknown }[]): string =>
  blocks.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('\n');

function messageOf(
  { model, system, tools = [] }: MessagesRequest,
  reply: Reply,
  request: ModelRequest,
): AnthropicMessage {
  const { input, cached, output } = usageOf(request, reply);
  // As in the service: only what is marked is cached.
  const isCached = [...(Array.isArray(system) ? system : []), ...tools].some(({ cache_control: mark }) => mark);
  const read = isCached ? cached : 0;
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    container: null,
    diagnostics: null,
    content: [
      ...(reply.say === '' ? [] : [{ type: 'text' as const, text: reply.say, citations: null }]),
      ...reply.calls.map(({ name, arguments: args }) => ({
        type: 'tool_use' as const,
        id: newId('toolu'),
        name,
        input: args,
        caller: { type: 'direct' as const },
      })),
    ],
    stop_reason: reply.calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: {
      input_tokens: input - read,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: read,
      cache_creation: null,
      output_tokens: output,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: null,
      speed: null,
    },
  };
}

/** The message as events; `ping` is sent now and then. */
function* eventsOf(message: AnthropicMessage): Generator<ServerSentEvent> {
  const named = (data: RawMessageStreamEvent, isText = false): ServerSentEvent => ({ event: data.type, data, isText });
  const { content: blocks, usage, stop_reason, stop_sequence, stop_details, container } = message;
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  yield named({ type: 'message_start', message: begun });
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') {
      yield named({ type: 'content_block_start', index, content_block: { ...block, text: '' } });
      if (index === 0) yield { event: 'ping', data: { type: 'ping' } };
      for (const text of partsOf(block.text))
        yield named({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }, true);
    } else if (block.type === 'tool_use') {
      yield named({ type: 'content_block_start', index, content_block: { ...block, input: {} } });
      const json = JSON.stringify(block.input);
      // The first delta of the service is empty.
      for (const partial_json of ['', ...(json.match(/.{1,12}/gsu) ?? [])])
        yield named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
    }
    yield named({ type: 'content_block_stop', index });
  }
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  const counted = { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens };
  yield named({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence, stop_details, container },
    usage: { ...counted, output_tokens_details: null, server_tool_use: null },
  });
  yield named({ type: 'message_stop' });
}
