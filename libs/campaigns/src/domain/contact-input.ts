import { type CallValues, type VariableValue, variablesProblems } from '@app/agents';
import { MAX_METADATA_BYTES, parseDestination } from '@app/calls';
import { isTimeZone } from '@app/common/time-windows';

/** A contact as a request or a row of a file has it. */
export interface ContactInput {
  to_number?: unknown;
  time_zone?: unknown;
  not_before?: unknown;
  metadata?: unknown;
  variables?: unknown;
}

/** A contact with valid fields. */
export interface NewContact {
  to_number: string;
  time_zone: string | null;
  not_before: Date | null;
  metadata: Record<string, unknown> | null;
  variables: Record<string, VariableValue> | null;
}

/** Why a row was refused. */
export const REFUSAL_REASONS = [
  'invalid_number',
  'invalid_field',
  'blocked_destination',
  'missing_variables',
  'missing_disclosure',
  'duplicate',
  'already_called',
  'campaign_full',
] as const;
type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** A row that was not added: `index` counts the rows of the request from 0. */
export interface RefusedContact {
  index: number;
  /** `variables.first_name` */
  field: string;
  reason: RefusalReason;
  message: string;
}

type Refusal = Omit<RefusedContact, 'index'>;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** The first problem of a row, or its contact. Empty fields count as absent: rows of files often have them. */
export function readContact(input: ContactInput): NewContact | Refusal {
  const destination = parseDestination(input.to_number);
  if (destination.kind === 'wrong') return refusal('to_number', destination.problem, 'invalid_number');
  const [zone, time] = [given(input.time_zone), given(input.not_before)];
  if (zone !== null && !(typeof zone === 'string' && isTimeZone(zone)))
    return refusal('time_zone', 'The time zone field must be an IANA time zone such as Europe/Berlin.');
  const notBefore = time === null ? null : timeOf(time);
  if (notBefore === undefined)
    return refusal('not_before', 'The not before field must be a time such as 2026-12-01T09:00:00+00:00.');
  const values = { metadata: objectOf(input.metadata), variables: objectOf(input.variables) };
  const problem = valuesProblem(values);
  if (problem) return problem;
  return {
    to_number: destination.address,
    time_zone: zone,
    not_before: notBefore,
    metadata: values.metadata ?? null,
    variables: (values.variables ?? null) as Record<string, VariableValue> | null,
  };
}

function valuesProblem({ metadata, variables }: Partial<Record<keyof CallValues, unknown>>): Refusal | undefined {
  if (metadata === undefined) return refusal('metadata', 'The metadata field must be an object.');
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    return refusal('metadata', `The metadata field must not be greater than ${MAX_METADATA_BYTES} bytes.`);
  if (variables === undefined) return refusal('variables', 'The variables field must be an object.');
  const [first] = variables === null ? [] : variablesProblems('variables', variables);
  if (first) return refusal(first[0], first[1].message);
  return undefined;
}

const refusal = (field: string, message: string, reason: RefusalReason = 'invalid_field'): Refusal => ({
  field,
  reason,
  message,
});

const given = (value: unknown): unknown => (value === undefined || value === '' ? null : value);

/** undefined: it is not an object. */
function objectOf(value: unknown): Record<string, unknown> | null | undefined {
  const known = given(value);
  if (known === null) return null;
  return typeof known === 'object' && !Array.isArray(known) ? (known as Record<string, unknown>) : undefined;
}

/** undefined: it is not a time. */
function timeOf(value: unknown): Date | undefined {
  const time = typeof value === 'string' && TIME.test(value) ? new Date(value) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time : undefined;
}
