import { readJson } from '@app/common';
import type {
  JSONValue,
  LanguageModelV3Message,
  LanguageModelV3ToolCallPart as ToolCallPart,
  LanguageModelV3ToolResultPart as ToolResultPart,
} from '@ai-sdk/provider';
import { resultNote, systemNote, systemTextIn, YOUR_TURN } from '../../realtime-wording.js';
import type { ModelMessage } from '../ports.js';

type Result = Extract<ModelMessage, { role: 'tool_results' }>['results'][number];
type Call = NonNullable<Extract<ModelMessage, { role: 'assistant' }>['toolCalls']>[number];
/** A message of the vendors' packages; the text of a user is one part. */
export type VendorMessage =
  { role: 'user'; content: string } | Extract<LanguageModelV3Message, { role: 'assistant' | 'tool' }>;
/** Signed by the vendor, in its metadata. */
export type Thought = Extract<
  Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number],
  { type: 'reasoning' }
>;
/** What a vendor wants back with a tool call: a signature, or the thoughts before it. */
export interface CallMetadata {
  providerOptions?: ToolCallPart['providerOptions'];
  thoughts: readonly Thought[];
}

/** Vendors limit ids to these characters, and another vendor may have made them. */
const NOT_IN_IDS = /[^\w-]/g;
const MAX_ID_LENGTH = 64;
const MISSING: ToolResultPart['output'] = { type: 'json', value: { error: 'The result is not there yet.' } };

/**
 * The conversation as every vendor accepts it: it begins and ends with the user, the roles alternate, no text is empty, and each tool
 * call is followed by its result. Notes are texts of the user: Anthropic and Google have no system messages in a conversation, nor have
 * the chat templates of many models on own servers.
 */
export function vendorMessages(
  messages: readonly ModelMessage[],
  metadataOf: (toolCallId: string) => CallMetadata | undefined = () => undefined,
): VendorMessage[] {
  const conversation = new VendorConversation(metadataOf);
  for (const message of messages) conversation.add(message);
  return conversation.finished();
}

class VendorConversation {
  private readonly messages: VendorMessage[] = [];
  /** Calls without a result so far. */
  private readonly open = new Map<string, ToolResultPart>();

  constructor(private readonly metadataOf: (toolCallId: string) => CallMetadata | undefined) {}

  add(message: ModelMessage): void {
    switch (message.role) {
      case 'user':
        return this.addUser(message.text);
      case 'system':
        return this.addUser(noteFor(message.text));
      case 'assistant':
        return this.addAssistant(message.text, message.toolCalls ?? []);
      case 'tool_results':
        return message.results.forEach((result) => this.addResult(result));
    }
  }

  finished(): VendorMessage[] {
    if (this.messages.at(-1)?.role !== 'tool' && this.messages.at(-1)?.role !== 'user') this.addUser(YOUR_TURN);
    return this.messages;
  }

  private addUser(text: string): void {
    // A blank line separates texts; none contains one.
    const own = text.trim().replaceAll(/\n\s*\n/g, '\n');
    if (own === '') return;
    const last = this.messages.at(-1);
    if (last?.role === 'user') last.content += `\n\n${own}`;
    else this.messages.push({ role: 'user', content: own });
  }

  private addAssistant(text: string, calls: readonly Call[]): void {
    const own = text.trim();
    if (own === '' && calls.length === 0) return;
    if (this.messages.length === 0) this.addUser(YOUR_TURN);
    const last = this.messages.at(-1);
    const message = last?.role === 'assistant' ? last : { role: 'assistant' as const, content: [] };
    if (message !== last) this.messages.push(message);
    const parts = message.content;
    if (own !== '') parts.push({ type: 'text', text: own });
    if (calls.length === 0) return;
    parts.unshift(...calls.flatMap(({ id }) => this.metadataOf(id)?.thoughts ?? []));
    parts.push(...calls.map((call) => this.callPart(call)));
    this.messages.push({ role: 'tool', content: calls.map((call) => this.resultPart(call)) });
  }

  private callPart({ id, name, arguments: json }: Call): ToolCallPart {
    const providerOptions = this.metadataOf(id)?.providerOptions;
    const part = { type: 'tool-call' as const, toolCallId: idOf(id), toolName: name, input: inputOf(json) };
    return providerOptions ? { ...part, providerOptions } : part;
  }

  private resultPart({ id, name }: Call): ToolResultPart {
    const part: ToolResultPart = { type: 'tool-result', toolCallId: idOf(id), toolName: name, output: MISSING };
    this.open.set(id, part);
    return part;
  }

  private addResult({ id, name, result }: Result): void {
    const part = this.open.get(id);
    this.open.delete(id);
    // The model did not make this call itself: another provider had the conversation.
    if (!part) return this.addUser(noteFor(resultNote({ name, arguments: '' }, result)));
    part.output = outputOf(result);
  }
}

const noteFor = (text: string): string => (systemTextIn(text) === undefined ? systemNote(text) : text);

const idOf = (id: string): string => id.replaceAll(NOT_IN_IDS, '_').slice(0, MAX_ID_LENGTH) || 'call';

/** Vendors accept only objects. */
function inputOf(json: string): Record<string, unknown> {
  const value = parse(json);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isObject) return value as Record<string, unknown>;
  return json.trim() === '' ? {} : { invalid_arguments: json };
}

function outputOf(result: string): ToolResultPart['output'] {
  const value = parse(result);
  return value === undefined ? { type: 'text', value: result } : { type: 'json', value: value as JSONValue };
}

function parse(json: string): unknown {
  try {
    return readJson(json);
  } catch {
    return undefined;
  }
}
