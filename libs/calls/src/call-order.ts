import type { CallOverrides } from './call-settings.js';
import type { Destination } from './destination.js';

/** What a request to create calls asks for, its form already checked. */
export interface CallOrder {
  destinations: Destination[];
  /** Destinations that are named twice are refused. */
  rejectDuplicates?: boolean;
  agentId: number;
  numberId: number;
  trunkId?: number;
  record: boolean;
  metadata: Record<string, unknown> | null;
  overrides: CallOverrides;
  /** Of the span of the request; absent when nothing is traced. */
  traceParent?: string;
}
