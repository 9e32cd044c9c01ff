import type { ModelName } from '@app/common';
import { systemClock, type Clock } from '../src/clock.js';
import { openModel } from '../src/providers/pipeline/leg-registry.js';
import type { ModelChoice } from '../src/providers/pipeline/pipeline-options.js';
import type { GenerationEvent, GenerationRequest, LanguageModel } from '../src/providers/pipeline/ports.js';
import type { UsageItem } from '../src/usage.js';
import { speech } from './test-call.js';

/** The server of a vendor; the paths are those of the vendor's own server. */
export interface ModelServer {
  port: number;
  key?: string;
}

const SETTINGS: Record<Exclude<ModelName, 'sandbox'>, { vendor: string; path: string }> = {
  openai: { vendor: 'openai', path: '/v1' },
  'openai-compatible': { vendor: 'compatible', path: '/v1' },
  anthropic: { vendor: 'anthropic', path: '/v1' },
  google: { vendor: 'google', path: '/v1beta' },
};

export type VendorName = keyof typeof SETTINGS;
export const VENDORS = Object.keys(SETTINGS) as VendorName[];

export function modelOf(
  vendor: VendorName,
  { port, key = 'secret-key' }: ModelServer,
  choice: Partial<ModelChoice> = {},
  clock: Clock = systemClock,
): Promise<LanguageModel> {
  const { vendor: name, path } = SETTINGS[vendor];
  const settings = { vendors: { [name]: { url: `http://127.0.0.1:${port}${path}`, key } } };
  return openModel({ provider: vendor, model: 'sandbox', ...choice }, { settings, clock, speech });
}

export const asked = (text: string, more: Partial<GenerationRequest> = {}): GenerationRequest => ({
  instructions: 'You are Ada.',
  messages: [{ role: 'user', text }],
  tools: [],
  ...more,
});

interface ReadAnswer {
  text: string;
  /** Number of text events. */
  parts: number;
  calls: Extract<GenerationEvent, { type: 'tool_call' }>[];
  usage: UsageItem[];
  error?: Error;
}

/** Reads an answer to its end, or to its error. */
export async function answerOf(
  model: LanguageModel,
  request: GenerationRequest,
  { signal = new AbortController().signal, onText }: { signal?: AbortSignal; onText?: (text: string) => void } = {},
): Promise<ReadAnswer> {
  const read: ReadAnswer = { text: '', parts: 0, calls: [], usage: [] };
  try {
    for await (const event of model.generate(request, signal)) {
      if (event.type === 'tool_call') read.calls.push(event);
      if (event.type === 'usage') read.usage.push(...event.items);
      if (event.type !== 'text') continue;
      read.text += event.text;
      read.parts++;
      onText?.(read.text);
    }
  } catch (error) {
    read.error = error as Error;
  }
  return read;
}
