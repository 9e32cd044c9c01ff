import type { GenerateContentResponse } from '@google/genai';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { functionDeclaration } from '../../server/gemini-messages.js';
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

const functionCall = z.looseObject({
  id: z.string().optional(),
  name: z.string().min(1),
  args: z.record(z.string(), z.unknown()).optional(),
});
const functionResponse = z.looseObject({
  id: z.string().optional(),
  name: z.string().min(1),
  response: z.record(z.string(), z.unknown()),
});
const part = z.looseObject({
  text: z.string().optional(),
  functionCall: functionCall.optional(),
  functionResponse: functionResponse.optional(),
  thoughtSignature: z.string().optional(),
});
const content = z.looseObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(part).max(1_000) });

const requestSchema = z.looseObject({
  contents: z.array(content).min(1, 'contents is not specified').max(5_000),
  systemInstruction: z.looseObject({ parts: z.array(part) }).optional(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(functionDeclaration).max(128).optional() }))
    .max(128)
    .optional(),
  toolConfig: z
    .looseObject({ functionCallingConfig: z.looseObject({ mode: z.string().optional() }).optional() })
    .optional(),
  generationConfig: z
    .looseObject({
      temperature: z.number().min(0).max(2).optional(),
      maxOutputTokens: z.int().min(1).optional(),
      thinkingConfig: z
        .looseObject({
          thinkingBudget: z.int().min(-1).max(32_768).optional(),
          thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
        })
        .optional(),
    })
    .optional(),
});

type GenerateRequest = z.output<typeof requestSchema>;
type Content = GenerateRequest['contents'][number];

const METHOD = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** `POST …/models/NAME:generateContent` and `:streamGenerateContent?alt=sse` of the Gemini API. */
export const googleGenerate: HttpEmulator = {
  answers: (method, { pathname }) => method === 'POST' && METHOD.test(pathname),
  answer: answering(generate, (error, response) => {
    // The service reports a wrong key as an invalid request, and the pause in a detail instead of a header.
    const { message, headers } = error;
    const isKey = error.status === 401;
    const status = isKey ? 400 : error.status;
    const details = [...(isKey ? [KEY_INVALID] : []), ...retryInfo(headers['retry-after'])];
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
    response.end(JSON.stringify({ error: { code: status, message, status: STATUSES[status] ?? 'INTERNAL', details } }));
  }),
};

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};
const KEY_INVALID = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
};
const retryInfo = (seconds: string | undefined): object[] =>
  seconds === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` }];

async function generate(request: IncomingMessage, response: ServerResponse, services: EmulatorServices): Promise<void> {
  const url = new URL(`http://sandbox${request.url}`);
  const [, model = '', method] = METHOD.exec(url.pathname) ?? [];
  if (!services.isKnown(request)) throw new RefusedRequest(401, 'API key not valid. Please pass a valid API key.');
  const body = await readRequest(request, requestSchema);
  const opened = services.scripts.openLeg(model, 'model');
  if (!opened)
    throw new RefusedRequest(
      404,
      `models/${model} is not found for API version v1beta, or is not supported for ${method}.`,
    );
  refuseByFault(opened.faults);
  const read = readContents(body, model);
  const answers = responsesOf(model, replyTo(opened.script, read), read);
  if (method === 'generateContent') return sendJson(response, opened.faults, join(answers));
  if (url.searchParams.get('alt') !== 'sse') return sendJson(response, opened.faults, answers);
  await sendEvents(response, opened.faults, eventsOf(answers));
}

function* eventsOf(answers: readonly Answer[]): Generator<ServerSentEvent> {
  for (const data of answers) {
    const isText = Boolean(data.candidates?.[0]?.content?.parts?.[0]?.text);
    yield { data, isText };
  }
}

/** @throws RefusedRequest when calls and responses do not belong together. */
function readContents(
  { contents, systemInstruction, tools = [], toolConfig }: GenerateRequest,
  model: string,
): ModelRequest {
  const isNone = toolConfig?.functionCallingConfig?.mode === 'NONE';
  const names = tools.flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name));
  const latest = contents.findLastIndex(
    (one) => one.role !== 'model' && one.parts.some(({ text }) => text !== undefined),
  );
  contents.forEach((one, index) => {
    checkTurns(contents, index);
    if (index > latest && model.startsWith('gemini-3')) requireSignature(one);
  });
  return {
    instructions: textOf(systemInstruction?.parts ?? []),
    messages: contents.flatMap(messagesOf),
    tools: isNone ? [] : names,
  };
}

const callsIn = ({ parts = [] }: Partial<Content> = {}) => parts.flatMap((one) => one.functionCall ?? []);
const responsesIn = ({ parts = [] }: Partial<Content> = {}) => parts.flatMap((one) => one.functionResponse ?? []);

function checkTurns(contents: readonly Content[], index: number): void {
  const content = contents[index]!;
  if (content.parts.length === 0)
    throw new RefusedRequest(400, `contents[${index}].parts: contents.parts must not be empty.`);
  if (callsIn(content).length > 0 && (index === 0 || contents[index - 1]!.role === 'model'))
    throw new RefusedRequest(
      400,
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    );
  if (responsesIn(contents[index + 1]).length !== callsIn(content).length)
    throw new RefusedRequest(
      400,
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    );
}

/** Of the first call of each step in the current turn, as the service requires it since Gemini 3. */
function requireSignature(content: Content): void {
  const call = content.parts.find((one) => one.functionCall);
  if (call && call.thoughtSignature === undefined)
    throw new RefusedRequest(400, `Function call is missing a thought_signature in functionCall parts.`);
}

function messagesOf({ role, parts }: Content): Message[] {
  if (role === 'model') {
    const calls = parts.flatMap((one) => one.functionCall ?? []);
    const asked = calls.map(({ id, name, args = {} }) => ({ id: id ?? name, name, arguments: args }));
    return [{ role: 'assistant', text: textOf(parts), calls: asked }];
  }
  return parts.map(({ text = '', functionResponse: answer }): Message => {
    if (!answer) return { role: 'user', text };
    return { role: 'tool', id: answer.id ?? answer.name, name: answer.name, output: outputOf(answer.response) };
  });
}

/** Clients put a result under a name of theirs, some with the name of the function beside it. */
function outputOf(response: Record<string, unknown>): string {
  const [key = '', ...others] = Object.keys(response).filter((one) => one !== 'name' || !('content' in response));
  const isWrapped = others.length === 0 && ['output', 'content', 'result'].includes(key);
  const output = isWrapped ? response[key] : response;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

const textOf = (parts: readonly { text?: string }[]): string => parts.map(({ text = '' }) => text).join('');

/** A response in Google's published types, without the methods of their class. */
type Answer = Partial<Pick<GenerateContentResponse, 'candidates' | 'usageMetadata' | 'modelVersion' | 'responseId'>>;

/** The parts of a stream: text in small parts, all calls in one, and the usage at the end. */
function responsesOf(model: string, { say, calls }: Reply, request: ModelRequest): Answer[] {
  const { input, cached, output } = usageOf(request, { say, calls });
  const own = { modelVersion: model, responseId: newId('response') };
  const answers = partsOf(say).map((text): Answer => ({
    ...own,
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }],
  }));
  const called = calls.map(({ name, arguments: args }, index) => ({
    functionCall: { name, args },
    // Only the first of parallel calls has one.
    ...(index === 0 ? { thoughtSignature: Buffer.from(newId('thought')).toString('base64') } : {}),
  }));
  const last: Answer = {
    ...own,
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: called.length > 0 ? called : [{ text: '' }] },
        finishReason: 'STOP' as never,
      },
    ],
    usageMetadata: {
      promptTokenCount: input,
      ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
  };
  return [...answers, last];
}

/** The whole answer as one response. */
function join(answers: readonly Answer[]): Answer {
  const last = answers.at(-1)!;
  const [candidate] = last.candidates ?? [];
  const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const text = textOf(parts);
  const all = [...(text === '' ? [] : [{ text }]), ...parts.filter((one) => one.functionCall)];
  return { ...last, candidates: [{ ...candidate, content: { role: 'model', parts: all } }] };
}
