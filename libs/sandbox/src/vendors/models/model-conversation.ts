import { noteIn, resultIn, systemTextIn, wordsToSay } from '@app/voice';
import type { Script } from '../../server/script.js';
import { type Reply, ScriptedAgent, type ToolRequest } from '../../server/scripted-agent.js';

/** One message of a request to a text model, in the words of no vendor. */
export type Message =
  /** `system`: a note in the conversation. */
  | { role: 'user' | 'system'; text: string }
  | { role: 'assistant'; text: string; calls: readonly (ToolRequest & { id: string })[] }
  | { role: 'tool'; id: string; name: string; output: string };

export interface ModelRequest {
  instructions: string;
  messages: readonly Message[];
  /** Names of the tools that the model may call. */
  tools: readonly string[];
}

const INTERRUPTED = /\s*\[interrupted\]$/;
const CHARACTERS_PER_TOKEN = 4;
/** A model's cache holds whole blocks of a prompt. */
const CACHE_BLOCK = 64;

/** The answer of a scripted agent, which knows nothing but the request. */
export function replyTo(script: Script, request: ModelRequest): Reply {
  const { say, calls } = restOfAnswer(script, request) ?? answerTo(script, request);
  return { say, calls: request.tools.length > 0 ? calls : [] };
}

function answerTo(script: Script, { instructions, messages, tools }: ModelRequest): Reply {
  const agent = new ScriptedAgent(script, () => ({ instructions, tools: [...tools] }));
  let words: string | undefined;
  for (const message of messages) {
    words = undefined;
    if (message.role === 'assistant') noteAnswer(agent, message);
    else if (message.role === 'tool') agent.takeToolResult(message.id, message.name, message.output);
    else for (const text of textsOf(message)) words = hear(agent, text);
  }
  return agent.reply(words);
}

/** A model that finds the beginning of its answer and a note behind it continues: its vendor failed in the middle. */
function restOfAnswer(script: Script, request: ModelRequest): Reply | undefined {
  const [answer, note] = request.messages.slice(-2);
  if (answer?.role !== 'assistant' || answer.calls.length > 0 || answer.text === '') return undefined;
  if (note?.role !== 'user' && note?.role !== 'system') return undefined;
  const isPlain = ({ text, isNote }: HeardText): boolean =>
    isNote && wordsToSay(text) === undefined && noteIn(text) === undefined && resultIn(text) === undefined;
  if (!textsOf(note).every(isPlain)) return undefined;
  const { say, calls } = answerTo(script, { ...request, messages: request.messages.slice(0, -2) });
  const isBeginning = say.startsWith(answer.text) && say.length > answer.text.length;
  return isBeginning ? { say: say.slice(answer.text.length).trimStart(), calls } : undefined;
}

function noteAnswer(agent: ScriptedAgent, { text, calls }: Extract<Message, { role: 'assistant' }>): void {
  for (const call of calls) agent.noteCall(call.id, call);
  agent.noteAnswer(text.replace(INTERRUPTED, ''));
  if (INTERRUPTED.test(text)) agent.noteInterruption();
}

interface HeardText {
  text: string;
  isNote: boolean;
}

/** Clients join several texts with a blank line. */
function textsOf({ role, text }: { role: string; text: string }): HeardText[] {
  if (role === 'system') return [{ text, isNote: true }];
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== '');
  return parts.map((part) => {
    const note = systemTextIn(part.trim());
    return { text: note ?? part.trim(), isNote: note !== undefined };
  });
}

/** Returns exact words that are to be said. */
function hear(agent: ScriptedAgent, { text, isNote }: HeardText): string | undefined {
  const words = wordsToSay(text);
  if (words !== undefined) return words;
  if (!isNote) agent.hearText(text);
  const result = isNote ? resultIn(text) : undefined;
  if (result) agent.takeToolResult('', result.tool, result.output);
  if (isNote) agent.takeOver(text);
  const injected = isNote ? noteIn(text) : undefined;
  // The agent supports no other notes of the system.
  if (injected !== undefined) agent.takeNote(injected);
  return undefined;
}

interface TokenUsage {
  input: number;
  /** Part of `input`: all that came before the latest answer of the model. */
  cached: number;
  output: number;
}

/** Counts as a model would, roughly. */
export function usageOf({ instructions, messages }: ModelRequest, { say, calls }: Reply): TokenUsage {
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  const prompt = (to: number): number => tokensIn(instructions, ...messages.slice(0, to).map(charactersOf));
  const cached = answered < 0 ? 0 : Math.floor(prompt(answered) / CACHE_BLOCK) * CACHE_BLOCK;
  return { input: prompt(messages.length), cached, output: tokensIn(say, ...calls.map(jsonOf)) };
}

const tokensIn = (...texts: string[]): number =>
  Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / CHARACTERS_PER_TOKEN);

const jsonOf = ({ name, arguments: args }: ToolRequest): string => name + JSON.stringify(args);

function charactersOf(message: Message): string {
  if (message.role === 'tool') return message.output;
  return message.role === 'assistant' ? message.text + message.calls.map(jsonOf).join('') : message.text;
}

/** Small parts, as a model generates them: words, or pieces of a text without spaces. */
export const partsOf = (text: string): string[] => text.match(/\s*\S{1,12}\s*/gu) ?? [];
