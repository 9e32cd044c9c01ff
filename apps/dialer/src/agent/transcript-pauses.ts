import type { SessionEvent } from '@app/voice';

/** Replaces words and keys of a pause of the recording. */
export const RECORDING_PAUSED = '[recording paused]';

interface Pause {
  fromMs: number;
  toMs: number;
}

/**
 * The pauses of a call's recording: what was said, pressed or passed to tools in a pause is not stored. A turn that only overlaps a pause is
 * hidden as a whole, because its words have no times.
 */
export class TranscriptPauses {
  private readonly pauses: Pause[] = [];
  /** Keys of a pause have not become an input yet. */
  private holdsHiddenKeys = false;

  /** A second pause in a pause changes nothing. Returns whether it begins now. */
  pause(atMs: number): boolean {
    if (this.isPaused) return false;
    this.pauses.push({ fromMs: atMs, toMs: Infinity });
    return true;
  }

  /** Returns whether a pause ends now. */
  resume(atMs: number): boolean {
    const last = this.pauses.at(-1);
    if (!last || !this.isPaused) return false;
    last.toMs = atMs;
    return true;
  }

  /** The event as it may be stored. */
  withoutHidden(event: SessionEvent): SessionEvent {
    switch (event.type) {
      case 'turn':
        return this.hides(event.started_ms, event.ended_ms) ? { ...event, text: RECORDING_PAUSED } : event;
      case 'tool_call':
        return this.hides(event.started_ms, event.ended_ms)
          ? { ...event, arguments: RECORDING_PAUSED, result: RECORDING_PAUSED }
          : event;
      case 'dtmf_received':
        if (!this.hides(event.at_ms - event.duration_ms, event.at_ms)) return event;
        this.holdsHiddenKeys = true;
        return { ...event, digit: RECORDING_PAUSED };
      case 'dtmf_input':
        return this.input(event);
      case 'dtmf_sent':
        return this.hides(event.at_ms, event.at_ms) ? { ...event, digits: RECORDING_PAUSED } : event;
      case 'guardrail_hit':
        return this.hides(event.at_ms, event.at_ms) ? { ...event, words: RECORDING_PAUSED } : event;
      default:
        return event;
    }
  }

  private get isPaused(): boolean {
    return this.pauses.at(-1)?.toMs === Infinity;
  }

  /** An input comes up to two seconds after its keys. */
  private input(event: Extract<SessionEvent, { type: 'dtmf_input' }>): SessionEvent {
    const isHidden = this.holdsHiddenKeys || this.hides(event.at_ms, event.at_ms);
    this.holdsHiddenKeys = false;
    return isHidden ? { ...event, digits: RECORDING_PAUSED } : event;
  }

  /** Words of this time are hidden. */
  hides(fromMs: number, toMs: number): boolean {
    return this.pauses.some((pause) => fromMs <= pause.toMs && toMs >= pause.fromMs);
  }
}
