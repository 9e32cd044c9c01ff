import {
  JSONParseError,
  TypeValidationError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3FunctionTool,
  type LanguageModelV3Message,
  type LanguageModelV3StreamPart as Part,
  type LanguageModelV3Usage,
  type SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { LRUCache } from 'lru-cache';
import { type Clock, Watchdog } from '../../../clock.js';
import { isPlausible, type UsageItem, type UsageKind } from '../../../usage.js';
import type { ToolDefinition } from '../../voice-provider.js';
import type { GenerationEvent, GenerationRequest, LanguageModel } from '../ports.js';
import type { ModelChoice } from '../pipeline-options.js';
import { warmConnection } from '../vendor-http.js';
import { modelError } from './model-errors.js';
import { type CallMetadata, type Thought, type VendorMessage, vendorMessages } from './model-messages.js';
import { errorIn, type RawUsage, reasonIn, usageIn } from './raw-chunks.js';
import { type Beginning, SpokenText } from './spoken-text.js';

/** An answer without any event for this time is given up. */
const STANDSTILL_MS = 20_000;
/** Of the text and the arguments of tools. */
const MAX_CHARACTERS = 100_000;
const MAX_TOOL_CALLS = 64;
/** Tool calls of one conversation whose metadata is kept. */
const MAX_KEPT_CALLS = 500;
/**
 * What the answers of a model begin with, by its name and address. Answers of other models are buffered until they end, because thoughts without
 * an opening tag are only recognisable by their closing tag.
 */
const beginnings = new LRUCache<string, Exclude<Beginning, 'unknown'>>({ max: 1_000 });

interface StreamedModelOptions {
  name: string;
  model: LanguageModelV3;
  /** The address of the requests. */
  url: string;
  /** Kept out of error messages. */
  key?: string;
  clock: Clock;
  choice: Pick<ModelChoice, 'temperature' | 'maxTokens'>;
  /** The vendor's own options of the instructions, which are a prefix of every request. */
  prefixOptions?: SharedV3ProviderOptions;
  /** How long the model thinks. */
  reasoning?: SharedV3ProviderOptions;
  /** The vendor refuses to think on about calls without the thoughts before them. */
  needsThoughts?: boolean;
  /** The server may call tools although it must not: requests that allow no calls define none. */
  ignoresToolChoice?: boolean;
  /** The answer may begin with thoughts, of which only the end is marked. */
  thinksAloud?: boolean;
  /** The parameters of a tool as the vendor accepts them; absent: any JSON Schema. */
  schemaOf?: (tool: ToolDefinition) => Record<string, unknown>;
}

/** A language model of any vendor, through its package of the `ai` family. Retries, tools and deadlines are those of the pipeline. */
export class StreamedModel implements LanguageModel {
  readonly name: string;
  private readonly metadata = new LRUCache<string, CallMetadata>({ max: MAX_KEPT_CALLS });
  /** The latest definitions: requests that allow no calls have them as well, because a cached prefix includes them. */
  private definitions: readonly ToolDefinition[] = [];

  constructor(private readonly options: StreamedModelOptions) {
    this.name = options.name;
  }

  prepare(signal: AbortSignal): Promise<void> {
    return warmConnection(this.options, signal);
  }

  async *generate(request: GenerationRequest, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    if (signal.aborted) return;
    const ending = new AbortController();
    const stalled = new Error(`The answer of ${this.name} stalled.`);
    const watchdog = new Watchdog(this.options.clock, request.standstillMs ?? STANDSTILL_MS, () =>
      ending.abort(stalled),
    );
    const answer = new Answer(this.options, this.metadata, request);
    try {
      watchdog.feed();
      const { stream } = await this.options.model.doStream(
        this.callOptions(request, AbortSignal.any([signal, ending.signal])),
      );
      const parts = stream[Symbol.asyncIterator]();
      while (true) {
        // Not while the reader is busy with an event.
        watchdog.feed();
        const { done, value } = await parts.next();
        watchdog.stop();
        if (signal.aborted) return;
        ending.signal.throwIfAborted();
        if (done) break;
        yield* answer.take(value);
      }
      yield* answer.end();
    } catch (error) {
      if (signal.aborted) return;
      // The vendor had ended the answer: what failed after that is not part of it.
      if (answer.isComplete && !(error instanceof ExcessiveAnswer)) yield* answer.end();
      else throw error === stalled ? error : modelError(this.name, error, this.options.key);
    } finally {
      watchdog.stop();
      ending.abort();
    }
  }

  private callOptions(request: GenerationRequest, abortSignal: AbortSignal): LanguageModelV3CallOptions {
    const { temperature, maxTokens: maxOutputTokens } = this.options.choice;
    if (request.tools.length > 0) this.definitions = request.tools;
    const tools = this.toolsOf(request);
    const toolChoice = { type: request.tools.length > 0 ? ('auto' as const) : ('none' as const) };
    const messages = vendorMessages(request.messages, (id) => this.metadata.get(id));
    return {
      prompt: [...this.systemOf(request.instructions), ...messages.map(promptMessage)],
      providerOptions: this.options.needsThoughts && !hasThoughts(messages) ? undefined : this.options.reasoning,
      ...(tools.length > 0 ? { tools, toolChoice } : {}),
      // Without the schema: each vendor accepts another subset of schemas and rejects the rest.
      ...(request.json ? { responseFormat: { type: 'json' } } : {}),
      temperature,
      maxOutputTokens,
      includeRawChunks: true,
      abortSignal,
    };
  }

  private systemOf(instructions: string): LanguageModelV3Message[] {
    if (instructions.trim() === '') return [];
    return [{ role: 'system', content: instructions, providerOptions: this.options.prefixOptions }];
  }

  /** Anthropic rejects a conversation with calls of tools that the request does not define. */
  private toolsOf({ messages, tools }: GenerationRequest): LanguageModelV3FunctionTool[] {
    if (tools.length === 0 && this.options.ignoresToolChoice) return [];
    const { schemaOf = ({ parameters }) => parameters } = this.options;
    const defined = this.definitions.length > 0 ? this.definitions : calledTools(messages);
    return defined.map((one) => ({
      type: 'function',
      name: one.name,
      description: one.description,
      inputSchema: schemaOf(one),
    }));
  }
}

/** Whether the answer follows no calls, or calls with their thoughts: another model may have made them. */
function hasThoughts(messages: readonly VendorMessage[]): boolean {
  const [calling, results] = messages.slice(-2);
  if (results?.role !== 'tool' || calling?.role !== 'assistant') return true;
  return calling.content[0]?.type === 'reasoning';
}

const promptMessage = (message: VendorMessage): LanguageModelV3Message =>
  message.role === 'user' ? { role: 'user', content: [{ type: 'text', text: message.content }] } : message;

const calledTools = (messages: GenerationRequest['messages']): ToolDefinition[] =>
  messages
    .flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []))
    .map(({ name }) => ({ name, description: '', parameters: { type: 'object', properties: {} } }));

/** An answer exceeds the limits, whatever its vendor says about its end. */
class ExcessiveAnswer extends Error {}

/** Reads one answer, within its limits. */
class Answer {
  private characters = 0;
  private calls = 0;
  private readonly spoken: SpokenText;
  private spokenCharacters = 0;
  private readonly thoughts: Thought[] = [];
  private finishReason = '';
  /** In the vendor's own words. */
  private rawReason: string | undefined;
  private rawUsage: RawUsage = {};
  private usage: LanguageModelV3Usage | undefined;
  private hasEnded = false;
  /** Of the first chunk that was skipped. */
  private unreadable: Error | undefined;

  constructor(
    private readonly options: Pick<StreamedModelOptions, 'name' | 'url' | 'thinksAloud' | 'needsThoughts'>,
    private readonly metadata: LRUCache<string, CallMetadata>,
    private readonly request: Pick<GenerationRequest, 'tools' | 'json'>,
  ) {
    // A document is read as a whole by its reader.
    const mayThinkAloud = options.thinksAloud === true && !request.json;
    this.spoken = new SpokenText(mayThinkAloud ? (beginnings.get(this.key) ?? 'unknown') : 'words');
  }

  private get key(): string {
    return `${this.options.name} ${this.options.url}`;
  }

  *take(part: Part): Generator<GenerationEvent> {
    switch (part.type) {
      case 'text-delta':
        this.count(part.delta);
        yield* this.say(this.spoken.push(part.delta));
        break;
      case 'reasoning-start':
      case 'reasoning-delta':
        if (this.options.needsThoughts) this.think(part);
        yield { type: 'working' };
        yield* this.say(this.spoken.separates());
        break;
      case 'tool-input-start':
      case 'tool-input-delta':
        yield { type: 'working' };
        break;
      case 'tool-call':
        if (this.request.tools.length > 0) yield this.call(part);
        break;
      case 'raw':
        this.rawReason = reasonIn(part.rawValue) ?? this.rawReason;
        this.rawUsage = { ...this.rawUsage, ...definedIn(usageIn(part.rawValue)) };
        break;
      case 'error':
        this.fail(part.error);
        break;
      case 'finish':
        this.finishReason = part.finishReason.unified;
        this.rawReason = part.finishReason.raw ?? this.rawReason;
        this.usage = part.usage;
    }
  }

  /** The vendor said why it ended the answer, and all of it has arrived. */
  get isComplete(): boolean {
    const isMissingCalls = this.calls === 0 && CALLS.has(this.rawReason ?? '');
    return !this.hasEnded && this.rawReason !== undefined && this.characters > 0 && !isMissingCalls;
  }

  /** The rest of the answer. Throws when it failed. */
  *end(): Generator<GenerationEvent> {
    this.hasEnded = true;
    yield* this.say(this.spoken.end(this.isByItself));
    yield* usageEvents(this.options.name, this.usage, this.rawUsage);
    this.check();
    if (this.spoken.beganThinking) beginnings.set(this.key, 'thoughts');
    // An answer that a limit cut off may have ended within its thoughts.
    else if (this.spokenCharacters > 0 && this.isByItself) beginnings.set(this.key, 'words');
  }

  private *say(text: string): Generator<GenerationEvent> {
    this.spokenCharacters += text.length;
    if (text === '') yield { type: 'working' };
    else yield { type: 'text', text };
  }

  /** The model ended the answer, and no limit. */
  private get isByItself(): boolean {
    return COMPLETE.has(this.finishReason) || FINISHED.has(this.rawReason ?? '');
  }

  /** A chunk that cannot be read is skipped: one of them must not discard the answer around it. */
  private fail(error: unknown): void {
    if (this.isComplete) return;
    const isUnreadable = JSONParseError.isInstance(error) || TypeValidationError.isInstance(error);
    if (!isUnreadable) throw error;
    const reported = TypeValidationError.isInstance(error) ? errorIn(error.value) : undefined;
    if (reported !== undefined) throw reported;
    this.unreadable ??= error;
  }

  /** The model may decide to say nothing, but an answer that failed is not empty. */
  private check(): void {
    if (this.characters === 0 && this.calls === 0 && this.unreadable) throw this.unreadable;
    if (this.rawReason === undefined) throw new Error('the server ended it without a reason');
    if (this.spokenCharacters > 0 || this.calls > 0 || this.isByItself) return;
    if (this.finishReason === 'length') throw new Error('the limit of tokens was reached before the first word');
    throw new Error(`the vendor ended it before the first word (${this.rawReason})`);
  }

  /** Arguments that are not JSON stay text: the session answers them with `invalid_arguments`. */
  private call({ toolCallId: id, toolName: name, input, providerMetadata }: CallPart): GenerationEvent {
    if (++this.calls > MAX_TOOL_CALLS) throw new ExcessiveAnswer(`it calls more than ${MAX_TOOL_CALLS} tools`);
    // The vendors want the thoughts before the first of several calls.
    const thoughts = this.thoughts.splice(0);
    this.metadata.set(id, { providerOptions: providerMetadata, thoughts });
    this.count(input);
    return { type: 'tool_call', id, name, arguments: input.trim() === '' ? '{}' : input };
  }

  private think(part: Extract<Part, { type: 'reasoning-start' | 'reasoning-delta' }>): void {
    if (part.type === 'reasoning-start') this.thoughts.push({ type: 'reasoning', text: '' });
    const thought = this.thoughts.at(-1);
    if (!thought) return;
    if (part.type === 'reasoning-delta') {
      this.count(part.delta);
      thought.text += part.delta;
    }
    if (part.providerMetadata) thought.providerOptions = part.providerMetadata;
  }

  private count(text: string): void {
    this.characters += text.length;
    if (this.characters > MAX_CHARACTERS) throw new ExcessiveAnswer(`it is longer than ${MAX_CHARACTERS} characters`);
  }
}

/** Reasons for the end of a complete answer. */
const COMPLETE = new Set(['stop', 'tool-calls']);
/** The vendors' own names of them, for an answer whose last chunk is missing. */
const FINISHED = new Set(['stop', 'STOP', 'end_turn', 'stop_sequence', 'tool_calls', 'function_call', 'tool_use']);
/** Those of an answer that ends with calls of tools. */
const CALLS = new Set(['tool_calls', 'function_call', 'tool_use']);

type CallPart = Extract<Part, { type: 'tool-call' }>;

/** Tokens of reasoning are part of the output, tokens that fill a cache part of the input. */
function* usageEvents(
  source: string,
  usage: LanguageModelV3Usage | undefined,
  raw: RawUsage,
): Generator<GenerationEvent> {
  // The package reports 0 for what it could not read.
  const input = usage?.inputTokens.total || (raw.input ?? 0);
  const output = usage?.outputTokens.total || (raw.output ?? 0);
  const cached = Math.min(usage?.inputTokens.cacheRead || (raw.cached ?? 0), input);
  const counted: [UsageKind, number][] = [
    ['input_text_tokens', input - cached],
    ['cached_text_tokens', cached],
    ['output_text_tokens', output],
  ];
  const items = counted
    .map(([kind, count]): UsageItem => ({ kind, quantity: count / 1_000, unit: 'thousand_tokens', source }))
    .filter((item) => item.quantity > 0 && isPlausible(item));
  if (items.length > 0) yield { type: 'usage', items };
}

const definedIn = (usage: RawUsage): RawUsage =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));
