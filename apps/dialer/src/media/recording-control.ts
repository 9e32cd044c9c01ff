import type { CallLeg } from '@app/telephony';
import {
  PAUSE_RECORDING_TOOL,
  RESUME_RECORDING_TOOL,
  ToolFailed,
  USUAL_PAUSE_SECONDS,
  type VoiceTool,
} from '@app/voice';
import type { ConversationRecord } from '../agent/conversation-record.js';

/** Pauses the recording and the transcript of one call, by command or by a tool of the agent. */
export class RecordingControl {
  private pausedBy: 'command' | 'agent' | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly leg: Pick<CallLeg, 'pauseRecording'>,
    private readonly record: Pick<ConversationRecord, 'hideWords'>,
  ) {}

  /** By command. */
  async pause(isPaused: boolean): Promise<void> {
    await this.set(isPaused ? 'command' : undefined);
  }

  /** The call has ended. */
  close(): void {
    clearTimeout(this.timer);
  }

  /** The tools of an agent that may pause the recording. */
  tools(): VoiceTool[] {
    return [
      {
        ...PAUSE_RECORDING_TOOL,
        run: ({ seconds }) => this.pauseFor(typeof seconds === 'number' ? seconds : USUAL_PAUSE_SECONDS),
      },
      { ...RESUME_RECORDING_TOOL, run: () => this.resume() },
    ];
  }

  private async pauseFor(seconds: number): Promise<object> {
    if (this.pausedBy !== 'command') {
      await this.set('agent');
      // The audio may have ended meanwhile.
      this.timer = setTimeout(() => void this.set(undefined).catch(() => undefined), seconds * 1_000).unref();
    }
    return { paused: true };
  }

  private async resume(): Promise<object> {
    if (this.pausedBy === 'command')
      throw new ToolFailed('paused_by_operator', 'An operator has paused the recording, and resumes it.');
    await this.set(undefined);
    return { paused: false };
  }

  /** The transcript is paused before the recording, and resumed after it. */
  private async set(by: 'command' | 'agent' | undefined): Promise<void> {
    clearTimeout(this.timer);
    this.pausedBy = by;
    if (by) this.record.hideWords(true);
    await this.leg.pauseRecording(by !== undefined);
    if (!by) this.record.hideWords(false);
  }
}

/** Names of the tools of a RecordingControl. */
export const RECORDING_TOOLS = [PAUSE_RECORDING_TOOL.name, RESUME_RECORDING_TOOL.name];
