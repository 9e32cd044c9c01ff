import type { VariableDeclaration } from './variables.js';

/** `{{name}}` and `{{metadata.name}}` are values of the call; the others come from the call itself. */
type PlaceholderSource =
  | { kind: 'variable'; name: string }
  | { kind: 'metadata'; path: string[] }
  | { kind: 'call'; field: 'to_number' | 'from_number' }
  | { kind: 'agent' }
  | { kind: 'now' };

/** `{{metadata.customer_name | there}}` in a text. */
export interface Placeholder {
  /** Offset of the first brace, and of the character after the last one. */
  start: number;
  end: number;
  /** Without default and white space: `metadata.customer_name`. */
  expression: string;
  source: PlaceholderSource;
  /** The text after `|`; undefined: the placeholder has no default. */
  fallback?: string;
}

interface MalformedPlaceholder {
  start: number;
  problem: string;
}

interface ParsedTemplate {
  placeholders: Placeholder[];
  /** Stays in the rendered text unchanged. */
  malformed: MalformedPlaceholder[];
}

export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** The first words of placeholders that are not variables; `args` belongs to the actions of tools. */
export const RESERVED_VARIABLES: readonly string[] = ['metadata', 'call', 'agent', 'now', 'args'];

const METADATA_KEY = /^[A-Za-z0-9_-]{1,128}$/;
const MAX_PLACEHOLDER_LENGTH = 500;
const KNOWN =
  '{{name}} of a variable, {{metadata.…}}, {{call.to_number}}, {{call.from_number}}, {{agent.name}} and {{now}}';

/** The placeholders of a text in their order, in linear time. */
export function parseTemplate(text: string): ParsedTemplate {
  const parsed: ParsedTemplate = { placeholders: [], malformed: [] };
  let close = -1;
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', start)) {
    if (close < start + 2) close = text.indexOf('}}', start + 2);
    if (close < 0) {
      parsed.malformed.push({ start, problem: 'is not closed with }}' });
      break;
    }
    const inner = text.slice(start + 2, Math.min(close, start + 2 + MAX_PLACEHOLDER_LENGTH + 1));
    const read = readPlaceholder(inner);
    if (typeof read === 'string') {
      parsed.malformed.push({ start, problem: read });
      start += 2;
    } else {
      parsed.placeholders.push({ ...read, start, end: close + 2 });
      start = close + 2;
    }
  }
  return parsed;
}

/** A string is the problem of a malformed placeholder. */
function readPlaceholder(inner: string): Omit<Placeholder, 'start' | 'end'> | string {
  if (inner.includes('{')) return 'contains a brace';
  if (inner.length > MAX_PLACEHOLDER_LENGTH) return `is longer than ${MAX_PLACEHOLDER_LENGTH} characters`;
  const bar = inner.indexOf('|');
  const expression = (bar < 0 ? inner : inner.slice(0, bar)).trim();
  const source = sourceOf(expression);
  if (!source) return expression === '' ? 'is empty' : `is unknown: placeholders are ${KNOWN}`;
  return { expression, source, ...(bar >= 0 && { fallback: inner.slice(bar + 1).trim() }) };
}

function sourceOf(expression: string): PlaceholderSource | undefined {
  if (expression === 'now') return { kind: 'now' };
  const [root = '', ...path] = expression.split('.');
  if (root === 'metadata') {
    return path.length > 0 && path.every((key) => METADATA_KEY.test(key)) ? { kind: 'metadata', path } : undefined;
  }
  if (root === 'agent') return expression === 'agent.name' ? { kind: 'agent' } : undefined;
  if (root === 'call') {
    const field = path.join('.');
    return field === 'to_number' || field === 'from_number' ? { kind: 'call', field } : undefined;
  }
  const isVariable = path.length === 0 && VARIABLE_NAME.test(root) && !RESERVED_VARIABLES.includes(root);
  return isVariable ? { kind: 'variable', name: root } : undefined;
}

/** The first problem of a text with placeholders, with its position; undefined when every placeholder can be filled in. */
export function templateProblem(
  text: string,
  variables: readonly Pick<VariableDeclaration, 'name'>[],
): string | undefined {
  const { placeholders, malformed } = parseTemplate(text);
  const undeclared = placeholders.find(
    ({ source }) => source.kind === 'variable' && !variables.some(({ name }) => name === source.name),
  );
  const [broken] = malformed;
  if (broken && (!undeclared || broken.start < undeclared.start))
    return `has a placeholder ${positionOf(text, broken.start)} that ${broken.problem}`;
  if (!undeclared) return undefined;
  return `uses the variable {{${undeclared.expression}}} ${positionOf(text, undeclared.start)}, which the agent does not declare in variables`;
}

/** The settings of an agent that may contain placeholders, and the declarations of its variables. */
interface TemplatedAgent {
  instructions: string;
  greeting: string;
  answeringMachine: { message: string; screening_message?: string | undefined } | null;
  conversation: { phrases?: Readonly<Record<string, string | undefined>> } | null;
  variables: readonly Pick<VariableDeclaration, 'name'>[];
}

/** The problems of the texts of an agent, by their path in its settings: `conversation.phrases.idle`. */
export function templateErrors(agent: TemplatedAgent): { path: string[]; problem: string }[] {
  const texts: [string[], string | undefined][] = [
    [['instructions'], agent.instructions],
    [['greeting'], agent.greeting],
    [['answering_machine', 'message'], agent.answeringMachine?.message],
    [['answering_machine', 'screening_message'], agent.answeringMachine?.screening_message],
    ...Object.entries(agent.conversation?.phrases ?? {}).map(([name, text]): [string[], string | undefined] => [
      ['conversation', 'phrases', name],
      text,
    ]),
  ];
  return texts.flatMap(([path, text]) => {
    const problem = text === undefined ? undefined : templateProblem(text, agent.variables);
    return problem ? [{ path, problem }] : [];
  });
}

/** The same for malformed placeholders alone, where the declarations are not known. */
export function malformedProblem(text: string): string | undefined {
  const [broken] = parseTemplate(text).malformed;
  return broken && `has a placeholder ${positionOf(text, broken.start)} that ${broken.problem}`;
}

function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
