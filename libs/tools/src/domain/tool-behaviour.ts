import { type FieldErrors, type FieldProblem, withCode } from '@app/common';
import { isJsonObject, type JsonSchema } from '@app/json-schema';
import { JSON_POINTER } from './json-pointer.js';

/** Words, or several that take turns from one use to the next. */
export type Phrases = string | string[];

export interface SayWhileWaiting {
  /** From the use of the tool to the first words. */
  after_seconds: number;
  /** From the beginning of one to that of the next. */
  every_seconds: number;
  text: Phrases;
}

export const TOOL_MODES = ['wait', 'background'] as const;
export type ToolMode = (typeof TOOL_MODES)[number];

/** How a tool acts in a conversation, beside its requests; as it is stored, in the names of the API. */
export interface ToolBehaviour {
  /** Spoken when the model uses the tool. Empty: silence. Null: the filler of the agent, once the line is silent. */
  say_before: Phrases | null;
  /** Spoken while the tool runs and the line is silent. */
  say_while_waiting: SayWhileWaiting | null;
  /** Spoken after a failure, instead of the model's words. */
  say_on_failure: Phrases | null;
  /** Variables of the call by JSON pointers (RFC 6901) into the answer. */
  assign: Record<string, string> | null;
  /** The model gets the names of the assigned variables instead of the answer. */
  private: boolean;
  /** The user agrees to the arguments before the tool runs. */
  confirm: boolean;
  /** `background`: the conversation goes on, and the result follows. */
  mode: ToolMode;
}

export const DEFAULT_BEHAVIOUR: ToolBehaviour = {
  say_before: null,
  say_while_waiting: null,
  say_on_failure: null,
  assign: null,
  private: false,
  confirm: false,
  mode: 'wait',
};

/** The stored fields with the defaults of the others. */
export const behaviourOf = (stored: Partial<ToolBehaviour> | null | undefined): ToolBehaviour => ({
  ...DEFAULT_BEHAVIOUR,
  ...stored,
});

export const PHRASE_LENGTH = 500;
export const PHRASES_PER_FIELD = 10;
export const MAX_WAIT_SECONDS = 120;
export const MIN_EVERY_SECONDS = 5;
export const DEFAULT_EVERY_SECONDS = 15;
export const MAX_ASSIGNED = 20;
const VARIABLE_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const POINTER_LENGTH = 256;
/** The argument by which the model says that the user has agreed. */
const CONFIRMED = 'confirmed';

const nameOf = (property: string): string => property.replaceAll('_', ' ');

/** The problems of words by path; `mayBeEmpty`: empty text is silence. */
export function phrasesProblems(value: unknown, property: string, mayBeEmpty = false): FieldErrors {
  if (value === null) return {};
  if (!Array.isArray(value)) {
    const problem = value === '' && mayBeEmpty ? undefined : phraseProblem(value, property);
    return problem ? { [property]: [problem] } : {};
  }
  if (value.length === 0 || value.length > PHRASES_PER_FIELD)
    return {
      [property]: [withCode('too_many', `The ${nameOf(property)} field must have 1 to ${PHRASES_PER_FIELD} texts.`)],
    };
  return Object.fromEntries(
    value.flatMap((text: unknown, index) => {
      const problem = phraseProblem(text, `${property}.${index}`);
      return problem ? [[`${property}.${index}`, [problem]]] : [];
    }),
  );
}

function phraseProblem(value: unknown, property: string): FieldProblem | undefined {
  if (typeof value !== 'string')
    return withCode('wrong_type', `The ${nameOf(property)} field must be a string, or an array of strings.`);
  if (value.trim() === '') return withCode('missing', `The ${nameOf(property)} field must have words.`);
  if (value.length <= PHRASE_LENGTH) return undefined;
  return withCode('too_long', `The ${nameOf(property)} field must not be greater than ${PHRASE_LENGTH} characters.`);
}

const WAITING_FIELDS: ReadonlySet<string> = new Set(['after_seconds', 'every_seconds', 'text']);

/** The problems of `say_while_waiting` by path. */
export function waitingProblems(value: unknown, property: string): FieldErrors {
  if (value === null) return {};
  if (!isJsonObject(value))
    return { [property]: [withCode('wrong_type', `The ${nameOf(property)} field must be an object.`)] };
  const { after_seconds: after, every_seconds: every, text } = value;
  const unknown = Object.keys(value).filter((name) => !WAITING_FIELDS.has(name));
  return {
    ...Object.fromEntries(
      unknown.map((name) => [
        `${property}.${name}`,
        [`The field is unknown. Fields are ${[...WAITING_FIELDS].join(', ')}.`],
      ]),
    ),
    ...secondsProblems(after, `${property}.after_seconds`, 1),
    ...(every === undefined || every === null
      ? {}
      : secondsProblems(every, `${property}.every_seconds`, MIN_EVERY_SECONDS)),
    ...phrasesProblems(text ?? '', `${property}.text`),
  };
}

function secondsProblems(value: unknown, path: string, least: number): FieldErrors {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= MAX_WAIT_SECONDS) return {};
  const code = Number.isInteger(value) ? 'out_of_range' : value === undefined ? 'missing' : 'wrong_type';
  return {
    [path]: [withCode(code, `The ${nameOf(path)} field must be an integer from ${least} to ${MAX_WAIT_SECONDS}.`)],
  };
}

/** A validated `say_while_waiting` with its default. */
export const waitingOf = (
  given: Omit<SayWhileWaiting, 'every_seconds'> & { every_seconds?: number | null },
): SayWhileWaiting => ({
  after_seconds: given.after_seconds,
  every_seconds: given.every_seconds ?? DEFAULT_EVERY_SECONDS,
  text: given.text,
});

/** The problems of `assign` by path. */
export function assignProblems(value: unknown, property: string): FieldErrors {
  if (value === null) return {};
  if (!isJsonObject(value))
    return {
      [property]: [withCode('wrong_type', `The ${nameOf(property)} field must be an object of JSON pointers.`)],
    };
  const entries = Object.entries(value);
  if (entries.length > MAX_ASSIGNED)
    return {
      [property]: [
        withCode('too_many', `The ${nameOf(property)} field must not have more than ${MAX_ASSIGNED} variables.`),
      ],
    };
  return Object.fromEntries(
    entries.flatMap(([name, pointer]) => {
      const problem = assignmentProblem(name, pointer);
      return problem ? [[`${property}.${name.slice(0, 64)}`, [problem]]] : [];
    }),
  );
}

function assignmentProblem(name: string, pointer: unknown): FieldProblem | undefined {
  if (!VARIABLE_NAME.test(name))
    return withCode(
      'invalid_format',
      'The name of a variable must be in snake_case: a lower-case letter, then at most 63 letters, digits and underscores.',
    );
  if (typeof pointer !== 'string')
    return withCode('wrong_type', 'The JSON pointer must be a string, such as /booking/id.');
  if (pointer.length > POINTER_LENGTH)
    return withCode('too_long', `The JSON pointer must not be longer than ${POINTER_LENGTH} characters.`);
  if (JSON_POINTER.test(pointer)) return undefined;
  return withCode(
    'invalid_format',
    'The JSON pointer must be empty or begin with a slash, such as /booking/id (RFC 6901).',
  );
}

/** Problems between fields of a complete tool, by path. */
export function behaviourProblems(
  { confirm, private: isPrivate, assign }: ToolBehaviour,
  parameters: JsonSchema,
): FieldErrors {
  const properties = isJsonObject(parameters) && isJsonObject(parameters.properties) ? parameters.properties : {};
  return {
    ...(confirm && Object.hasOwn(properties, CONFIRMED)
      ? {
          confirm: [
            withCode(
              'duplicate',
              `The parameters have a property named ${CONFIRMED}, by which the model confirms. Rename it.`,
            ),
          ],
        }
      : {}),
    ...(isPrivate && Object.keys(assign ?? {}).length === 0
      ? {
          private: [
            withCode(
              'missing',
              'A tool whose answer is private must assign something: otherwise nothing uses the answer.',
            ),
          ],
        }
      : {}),
  };
}
