import { readJson } from '@app/common';
import type { FunctionResponse } from '@google/genai';
import { resultNote, systemNote } from '../realtime-wording.js';
import type { ProviderEvent, ToolDefinition } from '../voice-provider.js';
import { ownArguments } from './gemini-schema.js';
import type { GeminiEvent } from './gemini-session.js';

type ToolCallEvent = Extract<ProviderEvent, { type: 'tool_call' }>;

interface OpenCall {
  event: ToolCallEvent;
  /** The service's id; some servers send none. */
  id: string | undefined;
  /** The service has moved on, and refuses a result. */
  cancelled: boolean;
}

/** A server that never reads its results must not fill the memory. */
const MAX_OPEN = 64;

/** The model's calls of tools and their results. The model says nothing between the two. */
export class ToolExchange {
  private readonly open = new Map<string, OpenCall>();
  private results: FunctionResponse[] = [];
  private count = 0;

  constructor(private readonly tools: readonly ToolDefinition[]) {}

  /** The model waits for results. */
  get areAwaited(): boolean {
    return this.results.length > 0 || [...this.open.values()].some(({ cancelled }) => !cancelled);
  }

  get hasResults(): boolean {
    return this.results.length > 0;
  }

  /** There are results, and none is missing. */
  get isComplete(): boolean {
    return this.hasResults && [...this.open.values()].every(({ cancelled }) => cancelled);
  }

  called(calls: NonNullable<GeminiEvent['toolCall']>['functionCalls'], responseId: string): ToolCallEvent[] {
    return (calls ?? []).flatMap(({ id, name, args = {} }) => {
      if (!name || this.open.size >= MAX_OPEN) return [];
      const parameters = this.tools.find((tool) => tool.name === name)?.parameters ?? {};
      const toolCallId = id ?? `call-${++this.count}`;
      const json = JSON.stringify(ownArguments(args, parameters));
      const event: ToolCallEvent = { type: 'tool_call', responseId, toolCallId, name, arguments: json };
      this.open.set(toolCallId, { event, id, cancelled: false });
      return [event];
    });
  }

  /** Absent ids: all calls. */
  cancelled(ids: readonly string[] = [...this.open.keys()]): void {
    for (const id of ids) {
      const call = this.open.get(id);
      if (call) call.cancelled = true;
    }
  }

  /** Keeps the result until `takeResults`. Returns a note instead when the service has cancelled the call: the tool ran nevertheless. */
  resulted(toolCallId: string, result: string): string | undefined {
    const call = this.open.get(toolCallId);
    this.open.delete(toolCallId);
    if (!call) return undefined;
    const { event, id, cancelled } = call;
    if (cancelled) return systemNote(resultNote(event, result));
    this.results.push({ ...(id === undefined ? {} : { id }), name: event.name, response: responseOf(result) });
    return undefined;
  }

  /** `instruction`: how the model answers them. */
  takeResults(instruction?: string): FunctionResponse[] {
    const results = this.results.splice(0);
    const last = results.at(-1);
    if (last && instruction !== undefined) last.response = { ...last.response, instruction };
    return results;
  }
}

/** The service expects an object, with the key `output` or `error`. */
function responseOf(result: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = readJson(result);
  } catch {
    value = result;
  }
  const isFailure = typeof value === 'object' && value !== null && 'error' in value;
  return isFailure ? (value as Record<string, unknown>) : { output: value };
}
