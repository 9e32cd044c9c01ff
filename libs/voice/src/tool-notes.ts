import type { ProviderEvent } from './providers/voice-provider.js';

type Call = Pick<Extract<ProviderEvent, { type: 'tool_call' }>, 'name' | 'arguments'>;

/** Arguments are told to be recognised; the result, of 8,000 characters at most, is told whole. */
const LONGEST_ARGUMENTS = 2_000;

const RESULT = /^You called the tool ([\w-]{1,64}) with .*? It returned: (.*)$/s;

/** What a connection is told that did not make the call itself, and could otherwise make it again. */
export const pendingNote = (call: Call): string => `${calledWith(call)} Its result is not there yet.`;

export const resultNote = (call: Call, text: string): string => `${calledWith(call)} It returned: ${text}`;

/** The tool and the result of a `resultNote`, for the server that plays a model; undefined for any other text. */
export function resultIn(note: string): { tool: string; output: string } | undefined {
  const [, tool, output] = RESULT.exec(note) ?? [];
  return tool !== undefined && output !== undefined ? { tool, output } : undefined;
}

const calledWith = ({ name, arguments: json }: Call): string =>
  `You called the tool ${name} with ${json.slice(0, LONGEST_ARGUMENTS) || '{}'}.`;
