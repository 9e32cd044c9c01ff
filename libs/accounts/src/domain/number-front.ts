import type { TimeWindow } from '@app/common/time-windows';

/** When calls to a number are answered by its agent. */
export interface NumberHours {
  /** IANA name. */
  time_zone: string;
  /** Local times; empty: at any time. */
  windows: TimeWindow[];
  /** Local dates on which no window begins. */
  excluded_dates: string[];
}

export const CLOSED_ACTIONS = ['say_and_hang_up', 'reject', 'agent'] as const;
type ClosedAction = (typeof CLOSED_ACTIONS)[number];

/** What happens to calls outside the hours; the agent of the action `agent` has a column of its own. */
export interface NumberClosed {
  action: ClosedAction;
  /** Of `say_and_hang_up`. */
  message: string | null;
  /** Of the message: BCP 47. */
  language: string | null;
}

/** What waiting callers hear about their place in the queue. */
interface QueueAnnouncement {
  /** Whether the place is announced. */
  position: boolean;
  every_seconds: number;
  /** May have the placeholder `{{position}}`; null: a sentence in the language. */
  message: string | null;
  /** BCP 47; null: English. */
  language: string | null;
}

export const QUEUE_TIMEOUT_ACTIONS = ['hang_up', 'transfer'] as const;

/** What happens to a caller that waited as long as the number allows. */
interface QueueTimeout {
  /** Rows of earlier versions have only the message. */
  action?: (typeof QUEUE_TIMEOUT_ACTIONS)[number];
  /** Of the action `transfer`: E.164. */
  to_number?: string | null;
  /** Spoken before the call ends, for `transfer` when the number was not reached; null: it ends at once. */
  message: string | null;
}

/** The queue of a number, whose callers wait for a free place. */
export interface NumberQueue {
  enabled: boolean;
  /** Further callers hear the busy tone. */
  max_waiting: number;
  max_wait_seconds: number;
  announce: QueueAnnouncement;
  on_timeout: QueueTimeout;
  /** false: waiting callers hear silence between announcements. */
  music: boolean;
}

/** The longest `max_wait_seconds`. */
export const MAX_QUEUE_WAIT_SECONDS = 3_600;
