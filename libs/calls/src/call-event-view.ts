import { isoTime } from '@app/common';
import { CALL_EVENT_TYPES, type CallEventName, isShownEvent } from './call-event-types.js';

/** One event as the database has it. */
export interface CallEventRow {
  seq: number;
  at: Date;
  type: string;
  data: Record<string, unknown>;
}

/** One event as the outside sees it. */
export interface CallEventView {
  /** Place in the call's events; grows, with gaps where something is not shown. */
  seq: number;
  type: CallEventName;
  /** ISO 8601. */
  at: string;
  data: Record<string, unknown>;
}

/** Undefined: nobody outside is shown events of this type. Of the others the documented fields are shown, and no more. */
export function callEventView({ seq, type, at, data }: CallEventRow): CallEventView | undefined {
  if (!isShownEvent(type)) return undefined;
  const names = Object.keys(CALL_EVENT_TYPES[type].fields).filter((name) => Object.hasOwn(data, name));
  return { seq, type, at: isoTime(at), data: Object.fromEntries(names.map((name) => [name, data[name]])) };
}
