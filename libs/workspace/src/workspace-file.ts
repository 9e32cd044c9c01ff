import type { Actor } from '@app/audit';
import type { Encryption, InvalidFields } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { FILE_WORDS, inWords } from '@app/common/field-schemas';
import { isMap, isPair, isScalar, isNode, LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { faultsOf, InvalidRecord } from '@app/accounts';
import type { CheckedServerList } from '@app/tools';
import type { RecordChange } from './workspace-changes.js';
import { type AccountNode, type Workspace, workspaceSchema } from './workspace-schema.js';

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
export interface WorkspaceFile {
  workspace: Workspace;
  /** The error of a problem at `path` that only the database shows. */
  fault(path: Path, message: string): WorkspaceError;
  /** The errors of fields of the record at `path` (`tools.0.mcp.url`). */
  fields(path: Path, error: InvalidFields): WorkspaceError;
  /** An InvalidRecord of the record at `path` as the error of the file; other errors unchanged. */
  faultIn(path: Path, error: unknown): unknown;
}

/** The checked tools of agents, by their place in the file (`placeOf`); absent: the file does not give them. */
export type CheckedTools = ReadonlyMap<string, CheckedServerList>;

/** The key of `CheckedTools`: the position of the account in the file, and of the agent in the account. */
export const placeOf = (account: number, agent: number): string => `${account}.${agent}`;

/** The context in which an account of a workspace file is applied. */
export interface ApplyContext {
  tx: EntityTransaction;
  encryption: Encryption;
  file: WorkspaceFile;
  /** Paths in the workspace are relative to this folder. */
  folder: string;
  /** Index of the account in the file. */
  index: number;
  /** Fingerprints of changes of agents whose required scenarios have passed. */
  passed: ReadonlySet<string>;
  tools: CheckedTools;
  /** Runs after the transaction. */
  afterwards: (() => Promise<void>)[];
  /** For the audit log. */
  actor: Actor;
  /** Collects what the file changes, in its order. */
  changes: RecordChange[];
}

/** The id of a record that the file names. Throws WorkspaceError when there is none. */
export function knownId(
  { file }: ApplyContext,
  name: string,
  id: number | undefined,
  path: PropertyKey[],
  what: string,
): number {
  if (id !== undefined) return id;
  throw file.fault(path, `"${name}" is not the name of ${what} of this account`);
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
  const parsed = workspaceSchema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {}, inWords(FILE_WORDS));
  const faults = parsed.success ? duplicates(parsed.data) : parsed.error.issues.flatMap(faultsInside);
  const lines = faults.map(({ path, message }) => ({ line: lineOf(path), path: spell(path), message }));
  if (!parsed.success || lines.length > 0)
    throw new WorkspaceError(
      fileName,
      lines.toSorted((a, b) => a.line - b.line),
    );
  const fault = (path: Path, message: string) =>
    new WorkspaceError(fileName, [{ line: lineOf(path), path: spell(path), message }]);
  const fields = (path: Path, error: InvalidFields) => {
    const at = Object.entries(error.fields).map(([field, problems]) => {
      const parts = field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
      return { path: [...path, ...parts], message: problems.join(' ') };
    });
    return new WorkspaceError(
      fileName,
      at.map((one) => ({ line: lineOf(one.path), path: spell(one.path), message: one.message })),
    );
  };
  const faultIn = (path: Path, error: unknown): unknown => {
    if (!(error instanceof InvalidRecord)) return error;
    const at = error.faults.map((one) => ({ path: [...path, ...one.path], message: one.message }));
    return new WorkspaceError(
      fileName,
      at.map((one) => ({ line: lineOf(one.path), path: spell(one.path), message: one.message })),
    );
  };
  return { workspace: parsed.data, fault, fields, faultIn };
}

/** Of alternatives, the faults inside the one whose keys the value has: `tls.ca.file` of `{ file: 5 }`. */
function faultsInside(issue: z.core.$ZodIssue): Fault[] {
  const inside =
    issue.code === 'invalid_union' ? issue.errors.find((one) => one.some(({ path }) => path.length > 0)) : [];
  if (!inside?.length) return faultsOf(issue);
  return inside.flatMap(faultsInside).map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
}

interface Fault {
  path: Path;
  message: string;
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
