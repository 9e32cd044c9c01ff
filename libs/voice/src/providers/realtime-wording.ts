import type { ProviderEvent } from './voice-provider.js';

/**
 * How we put into words what the Realtime protocol has no event for. A model reads these as text; the sandbox server,
 * which plays one, reads them back.
 */

const SAY = 'Say exactly the following words and nothing else:';

/** Instructions of one response that is to speak these words. */
export const sayExactly = (words: string): string => `${SAY} ${JSON.stringify(words)}`;

/** The words of `sayExactly`; undefined for instructions of any other kind. */
export function wordsToSay(instructions: string): string | undefined {
  if (!instructions.startsWith(SAY)) return undefined;
  try {
    return String(JSON.parse(instructions.slice(SAY.length)));
  } catch {
    return undefined;
  }
}

/** A user's message that stands for pressed keys. */
export const keysPressed = (digits: string): string => `[The caller pressed the keys ${digits}]`;

/** The keys of `keysPressed`; undefined for any other message. */
export const keysIn = (text: string): string | undefined =>
  /^\[The caller pressed the keys ([0-9A-D*#]+)\]$/.exec(text)?.[1];

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
