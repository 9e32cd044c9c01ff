import { PARSER_PROCESSES } from '../parsing/document-parser.js';

/** How much a worker does at once, and how often it looks. */
export interface IngestSettings {
  /** Documents in hand at once; more than there are parsers, since fetching and embedding is waiting. */
  atOnce: number;
  /** Documents parsed at once; accounts take turns. */
  parsers: number;
  leaseMs: number;
  /** Looks for waiting documents this often, whatever jobs come. */
  sweepMs: number;
  /** Renews leases and stores progress. */
  beatMs: number;
  /** Looks for leases that are over. */
  reapMs: number;
  /** For one try of one document. */
  deadlineMs: number;
}

/** Beside those that are parsed: documents that are fetched, embedded or wait for their turn. */
const BESIDE_PARSERS = 3;

export const DEFAULT_INGEST_SETTINGS: IngestSettings = {
  atOnce: PARSER_PROCESSES + BESIDE_PARSERS,
  parsers: PARSER_PROCESSES,
  leaseMs: 60_000,
  sweepMs: 1_000,
  beatMs: 1_000,
  reapMs: 5_000,
  deadlineMs: 300_000,
};
