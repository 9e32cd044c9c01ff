import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../problem.js';

/** A table of the backup, as the manifest describes it. */
export interface TableNote {
  name: string;
  /** Stored columns, without generated ones. */
  columns: string[];
  /** The identity column, or null. */
  identity: string | null;
  rows: number;
}

/** `manifest.json` of a backup. It is written last: a folder without it is an incomplete backup. */
export interface BackupManifest {
  format: 1;
  version: string;
  /** When the snapshot was taken. */
  taken_at: string;
  /** Fingerprint of the SECRET_KEY that encrypts the secrets. The backup does not contain the key. */
  key_fingerprint: string;
  /** In the order in which they ran. */
  migrations: string[];
  tables: TableNote[];
  /** Keys of the storage whose files are in `files/`. */
  files: string[];
  /** Storage keys of rows whose file was missing. */
  missing_files: string[];
}

export const manifestFile = (folder: string): string => join(folder, 'manifest.json');
export const rowsFile = (folder: string, table: string): string => join(folder, 'tables', `${table}.jsonl.gz`);
export const storedFile = (folder: string, key: string): string => join(folder, 'files', key);

/** Throws Problem when the folder is not a complete backup that this release can read. */
export function readManifest(folder: string): BackupManifest {
  let manifest: BackupManifest;
  try {
    manifest = JSON.parse(readFileSync(manifestFile(folder), 'utf8')) as BackupManifest;
  } catch (error) {
    throw new Problem(`${folder} is not a complete backup: its manifest.json cannot be read.`, { cause: error });
  }
  if (manifest.format !== 1) throw new Problem(`${folder} is a backup in the format of a newer release.`);
  return manifest;
}
