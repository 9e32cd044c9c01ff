import { createRequire } from 'node:module';
import type { TextKind } from '../embed/wire-formats.js';

/** A model in this process. It embeds one text at a time (see EmbeddingQueue). */
export interface EmbeddingModel {
  /** Without the length of its vectors, which is not part of the name here. */
  readonly id: string;
  readonly dimensions: number;
  /** ISO 639-1 codes of the only languages that it knows; absent: many. */
  readonly languages?: readonly string[];
  /** The vector of one text, of any length; zeros if the model finds nothing in it. A run cannot be aborted. */
  embed(text: string, kind: TextKind): Promise<Float32Array>;
  close(): Promise<void>;
  /** Resolves when the model has stopped, by an error or by `close`: no text will be embedded any more. Absent: it never does. */
  readonly stopped?: Promise<Error>;
}

/** The model cannot be loaded; the message says what is missing. */
export class ModelUnusable extends Error {
  override readonly name = 'ModelUnusable';
}

/** The model embeds nothing any more. */
export class ModelStopped extends Error {
  override readonly name = 'ModelStopped';
}

/** Whether an optional package can be loaded. */
export function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
