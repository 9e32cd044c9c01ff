import { RE2JS } from 're2js';
import { z } from 'zod';
import { LegFaults, type LegKindName, legsSchema } from '../vendors/leg-faults.js';
import { createHash } from 'node:crypto';
import { faultsSchema } from './faults.js';

const MAX_RULES = 200;
const MAX_CALLS = 8;
const MAX_SAY_LENGTH = 2_000;
/** Characters of a script as JSON. */
const MAX_SCRIPT_LENGTH = 64 * 1024;
/** The same with the role and the metadata that a call adds. */
export const MAX_ROLE_LENGTH = 128 * 1024;

const pattern = z
  .string()
  .min(1)
  .max(500)
  .superRefine((source, context) => {
    try {
      RE2JS.compile(source);
    } catch (error) {
      const message = `is no pattern: ${error instanceof Error ? error.message : String(error)}`;
      context.addIssue({ code: 'custom', message });
    }
  });

/** YAML takes a bare 5 for a number. */
const digits = z.union([z.string(), z.int().min(0).transform(String)]).pipe(z.string().regex(/^[0-9A-D*#]{1,64}$/));

const trigger = z
  .strictObject({
    opening: z.literal(true),
    /** A step of the flow was entered, or the call was handed over, and nothing of the user waits for an answer. */
    entered: z.literal(true),
    /** The nth utterance of the user; true: every one. */
    speech: z.union([z.literal(true), z.int().min(1).max(1_000)]),
    digits: z.union([z.literal(true), digits]),
    /** A pattern (RE2) that is found in the typed text in either case; true: any text. */
    text: z.union([z.literal(true), pattern]),
    /** The result of this tool. */
    tool: z.string().min(1).max(64),
    /** With `tool`: only when it failed, or only when it did not. */
    failed: z.boolean(),
    /** Nothing happened for so many seconds. */
    idle: z.number().min(0.1).max(600),
  })
  .partial()
  .superRefine((on, context) => {
    const kinds = Object.keys(on).filter((key) => key !== 'failed');
    if (kinds.length !== 1) context.addIssue({ code: 'custom', message: 'needs exactly one trigger' });
    if (on.failed !== undefined && on.tool === undefined) {
      context.addIssue({ code: 'custom', message: 'goes with tool only', path: ['failed'] });
    }
  });

/** `on: opening` is short for `on: { opening: true }`. */
const on = z.preprocess((value) => (typeof value === 'string' ? { [value]: true } : value), trigger);

const call = z.strictObject({
  tool: z.string().regex(/^[\w-]{1,64}$/),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

const reason = z.union([z.literal(true), z.string().min(1).max(500)]);

const rule = z
  .strictObject({
    on,
    /** Only in this step of the flow. */
    step: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,39}$/)
      .optional(),
    say: z.string().max(MAX_SAY_LENGTH).optional(),
    call: z.union([call.transform((one) => [one]), z.array(call).min(1).max(MAX_CALLS)]).optional(),
    /** The query for the agent's knowledge bases. */
    search: z.string().min(1).max(1_000).optional(),
    send_dtmf: digits.optional(),
    /** True, or why. */
    transfer: reason.optional(),
    hang_up: reason.optional(),
  })
  .refine((fields) => Object.keys(fields).some((key) => key !== 'on' && key !== 'step'), {
    message: 'does nothing; add something to say or a tool to call',
  });

const scriptSchema = z.strictObject({
  /** The played agent. Absent fields come from the session's instructions and first words. */
  agent: z
    .strictObject({
      name: z.string().max(200),
      greeting: z.string().max(MAX_SAY_LENGTH),
      instructions: z.string().max(MAX_SAY_LENGTH),
      language: z.string().max(35),
    })
    .partial()
    .default({}),
  /** For `{{metadata.…}}`. */
  metadata: z.record(z.string(), z.unknown()).nullish(),
  rules: z.array(rule).max(MAX_RULES).default([]),
  faults: faultsSchema.default([]),
  /** For the emulated vendors of a pipeline. */
  legs: legsSchema.optional(),
});

export type Script = z.infer<typeof scriptSchema>;
export type Rule = Script['rules'][number];

const DEFAULT_SCRIPT: Script = { agent: {}, rules: [], faults: [] };

/** The script cannot be played; each problem names its place, such as `rules.2.on.text: is no pattern…`. */
export class ScriptInvalid extends Error {
  constructor(readonly problems: string[]) {
    super(`The script cannot be played: ${problems.join('; ')}`);
  }
}

/** With the role and the metadata of a call beside the rules. @throws ScriptInvalid */
export function readScript(value: unknown): Script {
  const problems = scriptProblems(value, MAX_ROLE_LENGTH);
  if (problems.length > 0) throw new ScriptInvalid(problems);
  return scriptSchema.parse(value);
}

/** Empty: the script can be played. */
export function scriptProblems(value: unknown, longest = MAX_SCRIPT_LENGTH): string[] {
  const length = JSON.stringify(value)?.length ?? 0;
  if (length > longest) return [`: longer than ${longest} characters of JSON`];
  const read = scriptSchema.safeParse(value);
  return read.success ? [] : read.error.issues.map(problemOf);
}

const problemOf = ({ path, message }: z.core.$ZodIssue): string => `${path.join('.')}: ${message}`;

const MAX_SCRIPTS = 2_000;
const MAX_BYTES = 16 * 1024 * 1024;
const NAMED = /^script-([0-9a-f]{64})$/;

interface Registered {
  script: Script;
  bytes: number;
  /** Connections so far: faults may be limited to the first ones. */
  connections: number;
  /** Requests and connections of each leg so far. */
  requests: Record<LegKindName, number>;
}

/** The scripts that clients may name as their model; the least recently used are dropped. */
export class ScriptCache {
  private readonly registered = new Map<string, Registered>();
  private bytes = 0;
  private connectionsOfDefault = 0;
  private readonly requestsOfDefault = noRequests();

  /** `fallback`: the script for other model names. */
  constructor(private readonly fallback: Script = DEFAULT_SCRIPT) {}

  /** @throws ScriptInvalid; a SyntaxError when the body is not valid JSON. */
  register(id: string, body: string): void {
    const known = this.registered.get(id);
    if (known) return this.touch(id, known);
    const script = readScript(JSON.parse(body));
    this.registered.set(id, { script, bytes: body.length, connections: 0, requests: noRequests() });
    this.bytes += body.length;
    for (const [oldest, { bytes }] of this.registered) {
      if (this.registered.size <= MAX_SCRIPTS && this.bytes <= MAX_BYTES) break;
      this.registered.delete(oldest);
      this.bytes -= bytes;
    }
  }

  /** Undefined: the model names a script that was not registered. */
  open(model: string): { script: Script; connection: number } | undefined {
    const id = NAMED.exec(model)?.[1];
    if (id === undefined) return { script: this.fallback, connection: ++this.connectionsOfDefault };
    const known = this.registered.get(id);
    if (!known) return undefined;
    this.touch(id, known);
    return { script: known.script, connection: ++known.connections };
  }

  /** The role and the faults of one request to an emulated vendor. Undefined: the model names a script that was not registered. */
  openLeg(model: string, leg: LegKindName): { script: Script; faults: LegFaults } | undefined {
    const id = NAMED.exec(model)?.[1];
    const known = id === undefined ? undefined : this.registered.get(id);
    if (id !== undefined && !known) return undefined;
    if (known && id !== undefined) this.touch(id, known);
    const { script, requests } = known ?? { script: this.fallback, requests: this.requestsOfDefault };
    return { script, faults: new LegFaults(script.legs?.[leg] ?? [], ++requests[leg]) };
  }

  private touch(id: string, known: Registered): void {
    this.registered.delete(id);
    this.registered.set(id, known);
  }
}

const noRequests = (): Record<LegKindName, number> => ({ transcriber: 0, model: 0, synthesizer: 0 });

/** The name of a script is its SHA-256 digest. */
export const scriptId = (body: string): string => createHash('sha256').update(body).digest('hex');
