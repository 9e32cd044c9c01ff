import type { ProviderEvent } from './voice-provider.js';

/**
 * Texts for input that has no event in the protocols of the providers. A model reads them as text; the sandbox server, which
 * plays a model, parses them.
 */

const SAY = 'Say exactly the following words and nothing else:';

/** Instructions for a response that speaks exactly these words. */
export const sayExactly = (words: string): string => `${SAY} ${JSON.stringify(words)}`;

/** The words of `sayExactly`; undefined for other instructions. */
export function wordsToSay(instructions: string): string | undefined {
  if (!instructions.startsWith(SAY)) return undefined;
  try {
    return String(JSON.parse(instructions.slice(SAY.length)));
  } catch {
    return undefined;
  }
}

const NOTE = 'Note for you alone; the caller does not hear it:';

/** A note from outside of the conversation, for the model. */
export const formatInjectedNote = (note: string): string => `${NOTE} ${note}`;

/** The text of an `formatInjectedNote`; undefined for other notes. */
export const noteIn = (text: string): string | undefined =>
  text.startsWith(NOTE) ? text.slice(NOTE.length + 1) : undefined;

/** Words that the service has spoken instead of the model. */
export const saidForYou = (words: string): string =>
  `These words were spoken to the caller for you: ${JSON.stringify(words)}`;

/** What a person who has taken over says to the user; `words` is null when they were not recognised. */
export const saidByPerson = (name: string, words: string | null, durationMs: number): string => {
  const who = `Your colleague ${JSON.stringify(name)}, who has taken over,`;
  if (words === null)
    return `${who} spoke to the caller for ${(durationMs / 1000).toFixed(1)} s; the words are not known.`;
  return `${who} said to the caller: ${JSON.stringify(words)}`;
};

export const takenOver = (name: string): string =>
  `Your colleague ${JSON.stringify(name)} has taken over and speaks to the caller now. Listen; say nothing and call no tools until you have the line again.`;

export const handedBack = (name: string): string =>
  `Your colleague ${JSON.stringify(name)} has handed the line back to you. Go on with the conversation from here, and do not repeat what was said.`;

/** A user message for pressed keys. */
export const keysPressed = (digits: string): string => `[The caller pressed the keys ${digits}]`;

/** The keys of `keysPressed`; undefined for any other message. */
export const keysIn = (text: string): string | undefined =>
  /^\[The caller pressed the keys ([0-9A-D*#]+)\]$/.exec(text)?.[1];

const SYSTEM_NOTE = '[Note for you, which the caller does not hear]';

/** A note of the system, for a protocol whose only texts are those of the user. */
export const systemNote = (text: string): string => `${SYSTEM_NOTE} ${text}`;

/** The text of a `systemNote`; undefined for any other text. */
export const systemTextIn = (text: string): string | undefined =>
  text.startsWith(SYSTEM_NOTE) ? text.slice(SYSTEM_NOTE.length + 1) : undefined;

/** Makes a model speak that otherwise answers only the user. */
export const YOUR_TURN = systemNote('It is your turn to speak.');

const STEP = 'Current step of the conversation:';

/** The part of the instructions that is about the current step. */
export const currentStep = (name: string, instructions: string): string =>
  [`${STEP} ${name}`, instructions].filter((part) => part !== '').join('\n');

/** The name of the step in instructions, for the sandbox server; undefined: there is none. */
export const stepIn = (instructions: string): string | undefined =>
  /^Current step of the conversation: ([a-z][a-z0-9_]{0,39})$/m.exec(instructions)?.[1];

const TAKEN_OVER = 'You have taken over this call from your colleague';

/** For an agent that goes on with the conversation of another one. */
export const takenOverFrom = (name: string, reason: string): string =>
  `${TAKEN_OVER} ${JSON.stringify(name)}. Reason: ${JSON.stringify(reason)}. The caller hears you now: go on with the conversation.`;

/** Whether a note is one of `takenOverFrom`, for the sandbox server. */
export const isTakeover = (note: string): boolean => note.startsWith(TAKEN_OVER);

type Call = Pick<Extract<ProviderEvent, { type: 'tool_call' }>, 'name' | 'arguments'>;

/** Arguments are shortened, because they only identify the call; the result of at most 8,000 characters is complete. */
const MAX_ARGUMENTS_LENGTH = 2_000;

const RESULT = /^You called the tool ([\w-]{1,64}) with .*? It returned: (.*)$/s;

/** A note for a connection that did not make the call itself, and could otherwise repeat it. */
export const pendingNote = (call: Call): string => `${calledWith(call)} Its result is not there yet.`;

export const resultNote = (call: Call, text: string): string => `${calledWith(call)} It returned: ${text}`;

/** The tool and the result of a `resultNote`, for the sandbox server; undefined for other texts. */
export function resultIn(note: string): { tool: string; output: string } | undefined {
  const [, tool, output] = RESULT.exec(note) ?? [];
  return tool !== undefined && output !== undefined ? { tool, output } : undefined;
}

const calledWith = ({ name, arguments: json }: Call): string =>
  `You called the tool ${name} with ${json.slice(0, MAX_ARGUMENTS_LENGTH) || '{}'}.`;
