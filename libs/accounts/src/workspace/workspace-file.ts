import type { Actor } from '@app/audit';
import type { Encryption } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { isMap, isPair, isScalar, isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { z } from 'zod';
import { agent } from './agent-schema.js';
import { e164, flag, list, name, node, rate, text, whole } from './schema-types.js';
import { trunk } from './trunk-schema.js';

const prefix = text(16)
  .transform((value) => value.replace(/[\s().-]/g, ''))
  .refine((value) => /^\+\d{1,15}$/.test(value), 'must be the beginning of an E.164 number, such as "+1" or "+1900"');

const prefixes = z.array(prefix, 'must be a list of prefixes');

const limits = node({
  concurrent_calls: whole(1, 10_000).optional(),
  calls_per_second: rate.optional(),
  /** Calls in the queue. */
  queued_calls: whole(1, 10_000_000).optional(),
  /** Limit of each token; 0: no limit, null: the limit of the installation. */
  requests_per_minute: whole(0, 100_000_000).nullish(),
  daily_spend_usd: z.number('must be a number of US dollars').nonnegative('must not be negative').max(1e9).nullish(),
  /** Limit of recordings and files of knowledge bases; null: unlimited. */
  storage_bytes: whole(0, Number.MAX_SAFE_INTEGER).nullish(),
  destinations: node({ allow: prefixes.optional(), deny: prefixes.optional() }).optional(),
});

/** Days after which data is deleted; null: never. */
const days = whole(1, 36_500).nullish();

const retention = node({
  recordings_days: days,
  transcripts_days: days,
  deliveries_days: days,
  documents_days: days,
});

const number = node({ name, e164, active: flag.optional(), agent: name.nullish() });

const account = node({
  name,
  limits: limits.optional(),
  retention: retention.optional(),
  numbers: list(number),
  trunks: list(trunk),
  agents: list(agent),
});

/**
 * A workspace file. An absent key keeps the stored value (a new record gets the default); `null` clears an optional value.
 */
const workspaceSchema = node({ accounts: z.array(account, 'must be a list of accounts') });

type Workspace = z.output<typeof workspaceSchema>;
export type AccountNode = z.output<typeof account>;
export type NumberNode = z.output<typeof number>;

interface WorkspaceLine {
  line: number;
  /** `accounts[0].agents[1].greeting`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** The file cannot be applied, and nothing was changed. The message has one line per problem, `workspace.yaml:7: …`. */
export class WorkspaceError extends Error {
  constructor(
    readonly fileName: string,
    readonly lines: WorkspaceLine[],
  ) {
    super(
      lines.map(({ line, path, message }) => `${fileName}:${line}: ${path ? `${path} ` : ''}${message}`).join('\n'),
    );
  }
}

type Path = readonly PropertyKey[];

/** A workspace with the lines of its nodes. */
interface WorkspaceFile {
  workspace: Workspace;
  /** The error of a problem at `path` that only the database shows. */
  fault(path: Path, message: string): WorkspaceError;
}

/** The problems of a script or a scenario, each with its position; empty when it can be played. */
export type ScriptProblems = (script: unknown) => string[];

/** The context in which an account of a workspace file is applied. */
export interface ApplyContext {
  tx: EntityTransaction;
  encryption: Encryption;
  file: WorkspaceFile;
  /** Paths in the workspace are relative to this folder. */
  folder: string;
  /** Index of the account in the file. */
  index: number;
  scriptProblems: ScriptProblems;
  scenarioProblems: ScriptProblems;
  /** Fingerprints of changes of agents whose required scenarios have passed. */
  passed: ReadonlySet<string>;
  /** For the audit log. */
  actor: Actor;
}

/** Reads YAML (or JSON). Throws WorkspaceError with the line of every problem. */
export function parseWorkspace(yamlText: string, fileName: string): WorkspaceFile {
  const counter = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: counter });
  const lineAt = (offset: number) => counter.linePos(offset).line;
  if (document.errors.length > 0) {
    const lines = document.errors.map(({ pos, message }) => ({
      line: lineAt(pos[0]),
      path: '',
      message: firstLine(message),
    }));
    throw new WorkspaceError(fileName, lines);
  }
  const lineOf = (path: Path) => lineAt(offsetOf(document, path));
  const parsed = workspaceSchema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {});
  const faults = parsed.success ? duplicates(parsed.data) : parsed.error.issues.flatMap(faultsOf);
  const lines = faults.map(({ path, message }) => ({ line: lineOf(path), path: spell(path), message }));
  if (!parsed.success || lines.length > 0)
    throw new WorkspaceError(
      fileName,
      lines.toSorted((a, b) => a.line - b.line),
    );
  const fault = (path: Path, message: string) =>
    new WorkspaceError(fileName, [{ line: lineOf(path), path: spell(path), message }]);
  return { workspace: parsed.data, fault };
}

interface Fault {
  path: Path;
  message: string;
}

/** One problem per unknown key, at that key; otherwise one per issue. */
function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: issue.message }));
}

/** Records are found by name, so a repeated name would overwrite the record. */
function duplicates(workspace: Workspace): Fault[] {
  const { accounts } = workspace;
  return [
    ...repeated(
      ['accounts'],
      'name',
      accounts.map(({ name }) => name),
    ),
    ...accounts.flatMap(duplicatesIn),
  ];
}

function duplicatesIn(account: AccountNode, index: number): Fault[] {
  const kinds = (['numbers', 'trunks', 'agents'] as const).flatMap((kind) => {
    const names = account[kind].map(({ name }) => name);
    return repeated(['accounts', index, kind], 'name', names);
  });
  const e164s = account.numbers.map(({ e164 }) => e164);
  return [...kinds, ...repeated(['accounts', index, 'numbers'], 'e164', e164s)];
}

function repeated(path: Path, key: string, values: string[]): Fault[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) < index
      ? [{ path: [...path, index, key], message: `"${value}" is used more than once` }]
      : [],
  );
}

/** The offset of the key at `path`, or of its nearest ancestor in the file. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = keyOffset(document, path.slice(0, length));
    if (offset !== undefined) return offset;
  }
  return document.contents?.range?.[0] ?? 0;
}

function keyOffset(document: Document, path: Path): number | undefined {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  const key = path.at(-1);
  const pair = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  if (isPair(pair) && isNode(pair.key)) return pair.key.range?.[0];
  const value = document.getIn(path, true);
  return isNode(value) ? value.range?.[0] : undefined;
}

const spell = (path: Path): string =>
  path.reduce<string>(
    (text, part) => text + (typeof part === 'number' ? `[${part}]` : `${text && '.'}${String(part)}`),
    '',
  );

const firstLine = (message: string): string => message.split('\n')[0]?.replace(/ at line.*$/, '') ?? message;
