/**
 * - `cold`: the caller is connected with whichever phone answers
 * - `warm`: the agent briefs the person in private first, who accepts or declines
 * - `conference`: the same, and the agent stays
 */
export const TRANSFER_MODES = ['cold', 'warm', 'conference'] as const;
export type TransferMode = (typeof TRANSFER_MODES)[number];

/** `summary`: the text of the model or of the conversation, word by word; `own_words`: the model speaks freely about it. */
export const TRANSFER_BRIEFINGS = ['summary', 'own_words'] as const;

/** A phone that calls are transferred to. */
export interface StoredTransferDestination {
  /** The model names it by this. */
  name: string;
  /** E.164 number or SIP URI. */
  to_number: string;
  /** For the model. */
  description?: string;
  /** Keys that are sent after the answer; a comma is a pause of a second. */
  extension?: string;
  /** Headers of the INVITE, each with the metadata key of the call that provides its value. */
  headers?: Record<string, string>;
  /** Metadata key whose value is sent as User-to-User (RFC 7433). */
  uui?: string;
  /** Absent: that of the agent. */
  ring_timeout_seconds?: number;
}

/** Settings of transfers beside the number; absent ones have their defaults. */
export interface StoredTransferOptions {
  mode?: TransferMode;
  briefing?: (typeof TRANSFER_BRIEFINGS)[number];
  /** Replaces the question after the briefing. */
  accept_prompt?: string;
  accept_timeout_seconds?: number;
  /** In the order in which they are tried. */
  destinations?: StoredTransferDestination[];
}

/** Time for the decision after the briefing. */
export const DEFAULT_ACCEPT_SECONDS = 30;

export const MAX_TRANSFER_DESTINATIONS = 10;
