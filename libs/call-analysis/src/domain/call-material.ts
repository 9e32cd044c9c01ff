import { type CallWithResults, flowValues } from '@app/calls';

/** A stored event of a call. */
export interface MaterialEvent {
  type: string;
  data: Record<string, unknown>;
}

/** What rules and models may know of the call itself. */
type AnalysedCall = Pick<
  CallWithResults,
  | (
      | 'status'
      | 'direction'
      | 'hangup_cause'
      | 'ended_by'
      | 'answered_by'
      | 'answering_machine'
      | 'from_number'
      | 'to_number'
    )
  | ('transfers' | 'variables' | 'metadata' | 'summary' | 'answered_at' | 'ended_at')
> &
  Partial<Pick<CallWithResults, 'flow'>>;

/** An ended call as it was stored: what its retention or a redaction removed is not part of it. */
export interface CallMaterial {
  call: AnalysedCall;
  /** Turns, tool calls and pressed keys in their order. */
  events: readonly MaterialEvent[];
}

/** `call`: a fact of the call itself, such as its end. */
export const EVIDENCE_TYPES = ['turn', 'keypad', 'tool_call', 'variable', 'call'] as const;
type EvidenceType = (typeof EVIDENCE_TYPES)[number];

/** The place in a call that proves a value. */
export interface Evidence {
  type: EvidenceType;
  /** The position in the transcript, from 1; null: not a turn. */
  turn: number | null;
  /** `agent`, `callee` or `caller` of a turn; the name of a tool, a variable or a fact. */
  source: string;
  /** Milliseconds since the answer; null: no moment of the call. */
  started_ms: number | null;
  ended_ms: number | null;
  /** The words, keys or JSON. */
  quote: string;
}

/** One line of the material, with the label that a model cites. */
export interface Line extends Omit<Evidence, 'quote'> {
  label: string;
  text: string;
}

/** JSON of one tool call; longer ones are cut. */
const MAX_JSON_LENGTH = 8_000;

/** Everything in a call that may prove a value. */
export function linesOf({ call, events }: CallMaterial): Line[] {
  const turns = events
    .filter(({ type }) => type === 'turn')
    .map(({ data }) => data)
    .sort((a, b) => numberOf(a.started_ms) - numberOf(b.started_ms));
  return [
    ...turns.map((data, index) => turnLine(data, index + 1)),
    ...numbered('K', events.filter(({ type }) => type === 'dtmf_input').map(keypadLine)),
    ...numbered('C', events.filter(({ type }) => type === 'tool_call').map(toolLine)),
    ...numbered('V', givenValues(call).map(variableLine)),
    ...numbered('F', callFacts(call).map(factLine)),
  ];
}

/** The collected values of the flow, the variables and the metadata of a call. */
export const givenValues = ({ flow, variables, metadata }: AnalysedCall): ReturnType<typeof scalars> => [
  ...scalars(flowValues(flow ?? null)),
  ...scalars(variables),
  ...scalars(metadata),
];

type Unnumbered = Omit<Line, 'label'>;

const numbered = (letter: string, lines: Unnumbered[]): Line[] =>
  lines.map((line, index) => ({ ...line, label: `${letter}${index + 1}` }));

const turnLine = (data: Record<string, unknown>, turn: number): Line => ({
  label: `T${turn}`,
  type: 'turn',
  turn,
  source: textOf(data.role),
  started_ms: numberOf(data.started_ms),
  ended_ms: numberOf(data.ended_ms),
  text: textOf(data.text),
});

function keypadLine({ data }: MaterialEvent): Unnumbered {
  const at = numberOf(data.at_ms);
  return { type: 'keypad', turn: null, source: 'keypad', started_ms: at, ended_ms: at, text: textOf(data.digits) };
}

const toolLine = ({ data }: MaterialEvent): Unnumbered => ({
  type: 'tool_call',
  turn: null,
  source: textOf(data.name),
  started_ms: numberOf(data.started_ms),
  ended_ms: numberOf(data.ended_ms),
  text: `arguments ${jsonOf(data.arguments)} ${data.ok === false ? 'failed with' : 'result'} ${jsonOf(data.result)}`,
});

const variableLine = ([name, value]: Scalar): Unnumbered => ({
  ...{ type: 'variable', turn: null, source: name, started_ms: null, ended_ms: null },
  text: String(value),
});

const factLine = ([name, value]: Scalar): Unnumbered => ({
  ...{ type: 'call', turn: null, source: name, started_ms: null, ended_ms: null },
  text: String(value),
});

type Scalar = [name: string, value: string | number | boolean];

function scalars(values: Record<string, unknown> | null): Scalar[] {
  return Object.entries(values ?? {}).filter(
    (entry): entry is Scalar => ['string', 'number', 'boolean'].includes(typeof entry[1]) && entry[1] !== '',
  );
}

/** The facts of the call itself by name. */
export function callFacts(call: AnalysedCall): Scalar[] {
  const { answered_at: answered, ended_at: ended } = call;
  const seconds = answered && ended ? Math.max(0, Math.round((ended.getTime() - answered.getTime()) / 1_000)) : null;
  return scalars({
    status: call.status,
    direction: call.direction,
    hangup_cause: call.hangup_cause,
    ended_by: call.ended_by,
    answered_by: call.answered_by,
    answering_machine: call.answering_machine?.result,
    duration_seconds: seconds,
    from_number: call.from_number,
    to_number: call.to_number,
    transfer_status: call.transfers.at(-1)?.status,
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
export const jsonOf = (value: unknown): string => (JSON.stringify(value) ?? 'null').slice(0, MAX_JSON_LENGTH);
