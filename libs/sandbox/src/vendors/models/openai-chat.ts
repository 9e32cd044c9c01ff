import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
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

const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.enum(['text', 'refusal']), text: z.string().optional() })).max(1_000),
]);

const toolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content }),
  z.looseObject({ role: z.literal('user'), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z.array(toolCall).min(1).max(128).optional(),
  }),
  z.looseObject({ role: z.literal('tool'), content, tool_call_id: z.string() }),
]);

const requestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1).max(5_000),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().nullish(),
          parameters: z.looseObject({ type: z.literal('object') }).optional(),
        }),
      }),
    )
    .min(1)
    .max(128)
    .optional(),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), z.looseObject({})]).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.int().min(1).nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
});

type ChatRequest = z.output<typeof requestSchema>;
type ChatMessage = ChatRequest['messages'][number];

/** `POST …/chat/completions`, as OpenAI and compatible servers answer it. */
export const openAiChat: HttpEmulator = {
  answers: (method, { pathname }) => method === 'POST' && pathname.endsWith('/chat/completions'),
  answer: answering(complete, (error, response) => {
    const { status, message, headers } = error;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, param: null, ...kindOf(status) } }));
  }),
};

function kindOf(status: number): { type: string; code: string | null } {
  if (status === 401) return { type: 'invalid_request_error', code: 'invalid_api_key' };
  if (status === 404) return { type: 'invalid_request_error', code: 'model_not_found' };
  if (status === 429) return { type: 'requests', code: 'rate_limit_exceeded' };
  return { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null };
}

async function complete(request: IncomingMessage, response: ServerResponse, services: EmulatorServices): Promise<void> {
  if (!services.isKnown(request)) throw new RefusedRequest(401, 'Incorrect API key provided.');
  const body = await readRequest(request, requestSchema);
  const { model } = body;
  const opened = services.scripts.openLeg(model, 'model');
  if (!opened) throw new RefusedRequest(404, `The model \`${model}\` does not exist or you do not have access to it.`);
  refuseByFault(opened.faults);
  const read = readChat(body);
  const reply = replyTo(opened.script, read);
  const completion = completionOf(model, reply, read);
  if (!body.stream) return sendJson(response, opened.faults, completion);
  const withUsage = body.stream_options?.include_usage === true;
  await sendEvents(response, opened.faults, chunksOf(completion, withUsage), 'data: [DONE]\n\n');
}

/** @throws RefusedRequest when calls and results do not belong together. */
function readChat({ messages, tools = [], tool_choice: choice }: ChatRequest): ModelRequest {
  const isInstruction = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';
  const start = messages.findIndex((one) => !isInstruction(one));
  const instructions = messages.slice(0, start < 0 ? messages.length : start);
  const rest = start < 0 ? [] : messages.slice(start);
  return {
    instructions: instructions.map(({ content: text }) => textOf(text)).join('\n'),
    messages: conversationOf(rest),
    tools: choice === 'none' ? [] : tools.map((tool) => tool.function.name),
  };
}

function conversationOf(messages: readonly ChatMessage[]): Message[] {
  /** Calls without a result, and their tools. */
  const open = new Map<string, string>();
  const read = messages.map((one): Message => {
    const text = textOf(one.content);
    if (one.role === 'tool') {
      const name = open.get(one.tool_call_id);
      if (name === undefined)
        throw new RefusedRequest(
          400,
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        );
      open.delete(one.tool_call_id);
      return { role: 'tool', id: one.tool_call_id, name, output: text };
    }
    requireResults(open);
    if (one.role !== 'assistant') return { role: one.role === 'user' ? 'user' : 'system', text };
    const calls = (one.tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => {
      open.set(id, name);
      return { id, name, arguments: argumentsOf(json) };
    });
    return { role: 'assistant', text, calls };
  });
  requireResults(open);
  return read;
}

function requireResults(open: ReadonlyMap<string, string>): void {
  if (open.size === 0) return;
  const ids = [...open.keys()].join(', ');
  throw new RefusedRequest(
    400,
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`,
  );
}

function argumentsOf(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const textOf = (given: z.output<typeof content> | null | undefined): string =>
  typeof given === 'string' ? given : (given ?? []).map(({ text = '' }) => text).join('\n');

function completionOf(model: string, reply: Reply, request: ModelRequest): ChatCompletion {
  const { input, cached, output } = usageOf(request, reply);
  const calls = reply.calls.map(({ name, arguments: args }) => ({
    id: newId('call'),
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  const own = { role: 'assistant' as const, content: reply.say === '' ? null : reply.say, refusal: null };
  return {
    id: newId('chatcmpl'),
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model,
    choices: [
      {
        index: 0,
        message: calls.length > 0 ? { ...own, tool_calls: calls } : own,
        logprobs: null,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
  };
}

type Delta = ChatCompletionChunk.Choice.Delta;
type FinishReason = ChatCompletionChunk.Choice['finish_reason'];

/** The completion as chunks: the text in small parts, each call with its name first and its arguments in pieces. */
function* chunksOf(completion: ChatCompletion, withUsage: boolean): Generator<ServerSentEvent> {
  const { id, created, model, choices, usage } = completion;
  const { message: said, finish_reason: finishReason } = choices[0]!;
  const chunk = (delta: Delta, finish_reason: FinishReason = null): ChatCompletionChunk => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(withUsage ? { usage: null } : {}),
  });
  yield { data: chunk({ role: 'assistant', content: said.content === null ? null : '', refusal: null }) };
  for (const part of partsOf(said.content ?? '')) yield { data: chunk({ content: part }), isText: true };
  for (const [index, call] of (said.tool_calls ?? []).entries()) {
    if (call.type !== 'function') continue;
    const { name, arguments: json } = call.function;
    const first = { index, id: call.id, type: call.type, function: { name, arguments: '' } };
    yield { data: chunk({ tool_calls: [first] }) };
    for (const piece of json.match(/.{1,12}/gsu) ?? [])
      yield { data: chunk({ tool_calls: [{ index, function: { arguments: piece } }] }) };
  }
  yield { data: chunk({}, finishReason) };
  if (withUsage && usage) yield { data: { ...chunk({}), choices: [], usage } };
}
