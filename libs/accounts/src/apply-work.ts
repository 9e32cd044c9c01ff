import type { Encryption } from '@app/common';
import type { Actor, Sql } from '@app/database';
import type { ScriptProblems } from './agent-script.js';
import { column, type ColumnValue } from './save-row.js';
import type { WorkspaceFile } from './workspace-file.js';

/** What applying one account of a file works with. */
export interface ApplyWork {
  sql: Sql;
  encryption: Encryption;
  file: WorkspaceFile;
  /** Files that the workspace names are found from here. */
  folder: string;
  /** Of the account in the file. */
  index: number;
  scriptProblems: ScriptProblems;
  /** For the audit log. */
  actor: Actor;
}

/** undefined: the file says nothing about it. */
export const given = (value: unknown): ColumnValue | undefined => (value === undefined ? undefined : column(value));
