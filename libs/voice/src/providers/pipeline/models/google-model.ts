import { exactNumbers } from '@app/common';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { Schema } from '@google/genai';
import { functionDeclaration } from '../../gemini-live/gemini-schema.js';
import { modelProblem, vendorServer } from '../../provider-settings.js';
import type { ToolDefinition } from '../../voice-provider.js';
import type { ModelKind } from '../leg-registry.js';
import { googleReasoning } from './reasoning.js';
import { StreamedModel } from './streamed-model.js';
import { vendorFetch } from '../vendor-http.js';

export const google: ModelKind = {
  problem: (choice, { settings }) => modelProblem('google', choice, settings),
  open({ model = 'sandbox', reasoningEffort, ...choice }, { settings, clock }) {
    const { url, key = '' } = vendorServer('google', settings)!;
    const name = `google:${model}`;
    const vendor = createGoogleGenerativeAI({ baseURL: url, apiKey: key, fetch: keepingDigits(vendorFetch({ name })) });
    return new StreamedModel({
      name,
      url,
      key,
      clock,
      choice,
      model: vendor(model),
      schemaOf: geminiSchema,
      reasoning: googleReasoning(model, reasoningEffort),
    });
  },
};

/** The parameters within Gemini's subset of schemas. The package converts schemas too, but throws for some, and the service rejects others. */
export const geminiSchema = (tool: ToolDefinition): JsonSchema => {
  const { parameters } = functionDeclaration(tool);
  return parameters ? jsonSchemaOf(parameters) : { type: 'object', properties: {} };
};

type JsonSchema = Record<string, unknown>;

/** In the notation that the package reads. */
function jsonSchemaOf({ type, nullable, properties, items, anyOf, ...same }: Schema): JsonSchema {
  const name = type?.toLowerCase();
  const options = anyOf?.map(jsonSchemaOf);
  const own = Object.entries(properties ?? {}).map(([key, value]) => [key, jsonSchemaOf(value)]);
  return {
    ...same,
    ...(name === undefined ? {} : { type: nullable ? [name, 'null'] : name }),
    ...(options ? { anyOf: nullable ? [...options, { type: 'null' }] : options } : {}),
    ...(properties ? { properties: Object.fromEntries(own) } : {}),
    ...(items ? { items: jsonSchemaOf(items) } : {}),
  };
}

/** Gemini sends the arguments of a tool as an object, which the package reads with JSON.parse; the other vendors send them as text. */
function keepingDigits(request: typeof fetch): typeof fetch {
  return async (...given) => {
    const response = await request(...given);
    const { body, status, headers } = response;
    if (!body || !headers.get('content-type')?.includes('text/event-stream')) return response;
    const lines = body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(exactLines())
      .pipeThrough(new TextEncoderStream());
    return new Response(lines, { status, headers });
  };
}

function exactLines(): TransformStream<string, string> {
  let rest = '';
  return new TransformStream({
    transform(piece, controller) {
      rest += piece;
      const end = rest.lastIndexOf('\n') + 1;
      if (end > 0) controller.enqueue(exactNumbers(rest.slice(0, end)));
      rest = rest.slice(end);
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(exactNumbers(rest));
    },
  });
}
