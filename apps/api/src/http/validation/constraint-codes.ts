import type { ErrorCode } from '@app/common';
import type { ValidationError } from 'class-validator';
import { codeOfText, isMissing } from './field-validators.js';

type Violation = Pick<ValidationError, 'value' | 'target' | 'property'>;
type CodeOf = (value: unknown, violation: Violation) => ErrorCode;

/** A text with another form; a value of another type is said to be one. */
const text =
  (code: ErrorCode): CodeOf =>
  (value) =>
    typeof value === 'string' ? code : 'wrong_type';

const number =
  (code: ErrorCode): CodeOf =>
  (value) =>
    typeof value === 'number' ? code : 'wrong_type';

const list =
  (code: ErrorCode): CodeOf =>
  (value) =>
    Array.isArray(value) ? code : 'wrong_type';

const always =
  (code: ErrorCode): CodeOf =>
  () =>
    code;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The codes of the constraints of DTO classes, by their names in class-validator or in `ValidateBy`. */
const CODES: Readonly<Record<string, CodeOf>> = {
  isString: always('wrong_type'),
  isBoolean: always('wrong_type'),
  isInt: always('wrong_type'),
  isNumber: always('wrong_type'),
  isObject: always('wrong_type'),
  isArray: always('wrong_type'),
  nestedValidation: always('wrong_type'),
  minLength: text('too_short'),
  maxLength: text('too_long'),
  isLength: text('too_long'),
  matches: text('invalid_format'),
  notContains: text('invalid_format'),
  isUrl: text('invalid_format'),
  isNotEmpty: always('missing'),
  min: number('out_of_range'),
  max: number('out_of_range'),
  isIn: always('invalid_choice'),
  isNotIn: always('not_allowed'),
  arrayMaxSize: list('too_many'),
  arrayUnique: list('duplicate'),
  isRecordId: (value) => (Number.isInteger(value) ? 'not_found' : 'wrong_type'),
  isListOf: (value) => (Array.isArray(value) && new Set(value).size < value.length ? 'duplicate' : 'invalid_choice'),
  isCountry: text('invalid_choice'),
  isCursor: codeOfText,
  isDateOrTime: codeOfText,
  isE164: codeOfText,
  isRefresh: codeOfText,
  isTimeZoneName: codeOfText,
  isUuidText: codeOfText,
  isMetadata: (value) => (isObject(value) ? 'too_long' : 'wrong_type'),
  isContent: (value) => codeOfContent(value),
  isFile: always('invalid_format'),
  isOfUrl: always('not_allowed'),
  // `content`, `file` or `source_reference`, of which each belongs to one source type.
  isSourceField: (value, violation) => (isOfItsSource(violation) ? codeOfSource(value, violation) : 'not_allowed'),
};

const codeOfContent = (value: unknown): ErrorCode => {
  if (typeof value !== 'string') return 'wrong_type';
  return value.includes('\0') ? 'invalid_format' : 'too_long';
};

const SOURCE_FIELDS: Readonly<Record<string, string>> = { text: 'content', file: 'file', url: 'source_reference' };

const isOfItsSource = ({ property, target }: Violation): boolean => {
  const { source_type: type } = (target ?? {}) as { source_type?: unknown };
  return typeof type === 'string' && SOURCE_FIELDS[type] === property;
};

const codeOfSource = (value: unknown, { property }: Violation): ErrorCode =>
  property === 'file' ? 'invalid_format' : codeOfContent(value);

/** The code of a violated constraint. A missing field is missing, whichever constraint finds it. */
export const codeOfConstraint = (name: string, violation: Violation): ErrorCode =>
  isMissing(violation.value) ? 'missing' : (CODES[name]?.(violation.value, violation) ?? 'invalid');
