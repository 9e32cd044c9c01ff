import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../problem.js';

/** A table of the backup. */
export interface TableNote {
  name: string;
  /** Stored columns, without generated ones. */
  columns: string[];
  /** The column that has an identity, or null. */
  identity: string | null;
  rows: number;
}

/** `manifest.json` of a backup, written last: a folder without it is half a backup. */
export interface BackupManifest {
  format: 1;
  version: string;
  /** When the snapshot was taken. */
  taken_at: string;
  /** Of the SECRET_KEY that the secrets inside are sealed with. The key itself is kept elsewhere. */
  key_fingerprint: string;
  /** In the order in which they were run. */
  migrations: string[];
  tables: TableNote[];
  /** Keys of the storage whose files are in `files/`. */
  files: string[];
  /** Keys that rows name and the storage had no file for. */
  missing_files: string[];
}

export const manifestFile = (folder: string): string => join(folder, 'manifest.json');
export const rowsFile = (folder: string, table: string): string => join(folder, 'tables', `${table}.jsonl.gz`);
export const storedFile = (folder: string, key: string): string => join(folder, 'files', key);

/** Throws Problem when the folder holds no whole backup that this release can read. */
export function readManifest(folder: string): BackupManifest {
  let manifest: BackupManifest;
  try {
    manifest = JSON.parse(readFileSync(manifestFile(folder), 'utf8')) as BackupManifest;
  } catch (error) {
    throw new Problem(`${folder} holds no whole backup: its manifest.json cannot be read.`, { cause: error });
  }
  if (manifest.format !== 1) throw new Problem(`${folder} is a backup of a newer release, in another format.`);
  return manifest;
}
