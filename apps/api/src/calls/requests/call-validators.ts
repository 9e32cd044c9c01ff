import { variablesProblems } from '@app/agents';
import { type CalledDestination, MAX_METADATA_BYTES, type ParsedDestination, parseDestination } from '@app/calls';
import { type CodedProblem, type ErrorCode, type FieldErrors, withCode, wrongNumber } from '@app/common';
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import type { ElementErrors } from '../../http/validation/element-errors.js';
import { codeOfText, isMissing, ValidateParts } from '../../http/validation/field-validators.js';
import { notBeforeProblem, timeOf, timeZoneProblem } from './call-schedule.dto.js';

export const TRUNK_REQUIRED = 'A trunk is required when calling E.164 phone numbers.';

interface HasDestinations {
  to_number: unknown;
}

type ParsedElement = CalledDestination | Extract<ParsedDestination, { kind: 'wrong' }>;

const parsedOf = new WeakMap<HasDestinations, ParsedElement[]>();

const parseAll = (value: unknown): ParsedElement[] =>
  (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (!(one instanceof OwnValues)) return parseDestination(one);
    const { metadata, variables, not_before: notBefore, time_zone: timeZone } = one;
    const own = { metadata, variables, notBefore: timeOf(notBefore), timeZone: timeZone ?? undefined };
    return { ...parseDestination(one.to_number), own };
  });

type OwnFields = NonNullable<CalledDestination['own']>;

/** An element of `to_number` with values for its call alone. */
class OwnValues {
  to_number?: unknown;
  metadata?: OwnFields['metadata'];
  variables?: OwnFields['variables'];
  not_before?: string | null;
  time_zone?: string | null;
}

const OWN_FIELDS = ['to_number', 'metadata', 'variables', 'not_before', 'time_zone'];

/** Keeps the known fields of the objects among the elements; their other fields are reported as ignored. */
export const ReadsDestinations = (): PropertyDecorator =>
  Transform(({ obj, key }: TransformFnParams) => {
    const value = (obj as Record<string, unknown>)[key];
    return Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? ownValues(one as object) : one)) : value;
  });

function ownValues(element: object): OwnValues {
  const known = OWN_FIELDS.filter((name) => Object.hasOwn(element, name));
  const given = known.map((name) => [name, (element as Record<string, unknown>)[name]]);
  return Object.assign(new OwnValues(), Object.fromEntries(given));
}

/** The elements of `to_number` (a string or an array), parsed once for the validators and the command of a request. */
export function destinationsOf(dto: HasDestinations): ParsedElement[] {
  const known = parsedOf.get(dto);
  if (known) return known;
  const parsed = parseAll(dto.to_number);
  parsedOf.set(dto, parsed);
  return parsed;
}

/** Whether `to_number` contains a phone number, which requires a trunk. */
export const needsTrunk = (dto: HasDestinations): boolean => destinationsOf(dto).some(({ kind }) => kind === 'e164');

const isNone = (value: unknown): boolean => isMissing(value) || (Array.isArray(value) && value.length === 0);

const isListOrText = (value: unknown): boolean => typeof value === 'string' || Array.isArray(value);

/** One destination or a list. Each invalid destination has an error under its index, even a single one. */
export function IsDestinations(): PropertyDecorator {
  const context: ElementErrors = { elementErrors };
  return ValidateBy(
    {
      name: 'isDestinations',
      validator: {
        validate: (value: unknown, { object }: ValidationArguments) =>
          isListOrText(value) &&
          !isNone(value) &&
          destinationsOf(object as HasDestinations).every(({ kind }) => kind !== 'wrong') &&
          Object.keys(ownValueErrors('', value)).length === 0,
        defaultMessage: () => 'Not destinations.',
      },
    },
    { context },
  );
}

function elementErrors(property: string, value: unknown): FieldErrors {
  if (isNone(value)) return { [property]: [withCode('missing', 'The to number field is required.')] };
  if (!isListOrText(value))
    return { [property]: [withCode('wrong_type', 'The to number field must be a string or an array of strings.')] };
  const elements: unknown[] = [value].flat();
  const wrong = parseAll(value).flatMap((one, index) => {
    const key = elements[index] instanceof OwnValues ? `${property}.${index}.to_number` : `${property}.${index}`;
    if (one.kind !== 'wrong') return [];
    const text = destinationIn(elements[index]);
    const code = codeOfText(text);
    return [[key, [typeof text === 'string' ? wrongNumber(code, one.problem, text) : withCode(code, one.problem)]]];
  });
  return { ...(Object.fromEntries(wrong) as FieldErrors), ...ownValueErrors(property, value) };
}

const destinationIn = (element: unknown): unknown => (element instanceof OwnValues ? element.to_number : element);

/** The problems of the elements' own values. */
function ownValueErrors(property: string, value: unknown): FieldErrors {
  if (!Array.isArray(value)) return {};
  const errors = value.flatMap((element: unknown, index): [string, CodedProblem[]][] => {
    if (!(element instanceof OwnValues)) return [];
    const at = `${property}.${index}`;
    const { metadata, variables, not_before: notBefore, time_zone: timeZone } = element;
    const problems = (variables ?? null) === null ? [] : variablesProblems(`${at}.variables`, variables);
    const ofMetadata = (metadata ?? null) === null ? undefined : metadataProblem(`${at}.metadata`, metadata);
    const sentences = {
      not_before: (notBefore ?? null) === null ? undefined : notBeforeProblem(`${at}.not_before`, notBefore),
      time_zone: (timeZone ?? null) === null ? undefined : timeZoneProblem(`${at}.time_zone`, timeZone),
    };
    const own = Object.entries(sentences).flatMap(([name, sentence]): [string, CodedProblem][] =>
      sentence ? [[`${at}.${name}`, withCode(codeOfText(element[name as keyof OwnValues]), sentence)]] : [],
    );
    if (ofMetadata) own.unshift([`${at}.metadata`, withCode(codeOfMetadata(metadata), ofMetadata)]);
    return [...own, ...problems].map(([path, problem]) => [path, [problem]]);
  });
  return Object.fromEntries(errors);
}

/** An object of text, numbers and booleans. */
export const IsVariables = (): PropertyDecorator =>
  ValidateParts('isVariables', (value, property) =>
    Object.fromEntries(variablesProblems(property, value).map(([path, problem]) => [path, [problem]])),
  );

export const IsE164 = (options: ValidationOptions): PropertyDecorator =>
  ValidateBy({ name: 'isE164', validator: { validate: (value) => parseDestination(value).kind === 'e164' } }, options);

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object small enough for every webhook. */
export const IsMetadata = (): PropertyDecorator =>
  ValidateBy({
    name: 'isMetadata',
    validator: {
      validate: (value: unknown) => metadataProblem('metadata', value) === undefined,
      defaultMessage: (args) => metadataProblem('metadata', args?.value) ?? '',
    },
  });

/** Metadata is an object that is too large, or another value. */
const codeOfMetadata = (value: unknown): ErrorCode => (isObject(value) ? 'too_long' : 'wrong_type');

function metadataProblem(field: string, value: unknown): string | undefined {
  if (!isObject(value)) return `The ${field} field must be an object.`;
  if (Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES) return undefined;
  return `The ${field} field must not be greater than ${MAX_METADATA_BYTES} bytes.`;
}
