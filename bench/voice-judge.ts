import type { ConnectRequest, ProviderEvent, VoiceConnection, VoiceProvider } from '@app/voice';

const FRAME_MS = 20;
/** From the first frame of the user's speech to the words of a transcriber. */
const JUDGED_AFTER_MS = 500;
/** From the interruption to the next answer. */
const ANSWERED_AFTER_MS = 1_000;
/** One period of 500 Hz. */
const TONE = [0xff, 0x97, 0x8f, 0x8b, 0x89, 0x88, 0x89, 0x8b, 0x8f, 0x97, 0x7f, 0x17, 0x0f, 0x0b, 0x09, 0x08];
const ANSWER = Buffer.from(Array.from({ length: 20_000 * 8 }, (_, i) => TONE[i % 16]!));

/** Answers with a long tone, and judges all speech over it as an interruption, as a pipeline does when it knows the words. */
export class JudgingProvider implements VoiceProvider {
  readonly name = 'judge';
  readonly capabilities = { cancel: true, truncate: true, transcribesUser: true, judgesInterruptions: true } as const;

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  connect(_: ConnectRequest, onEvent: (event: ProviderEvent) => void): Promise<VoiceConnection> {
    return Promise.resolve(new JudgingConnection(onEvent));
  }
}

class JudgingConnection implements VoiceConnection {
  private responses = 0;
  private isAnswering = false;
  private isHearing = false;
  private sinceMs = 0;

  constructor(private readonly onEvent: (event: ProviderEvent) => void) {}

  createResponse(): void {
    this.answer();
  }

  sendAudio(frame: Buffer): void {
    this.sinceMs += FRAME_MS;
    const isLoud = frame.some((byte) => byte !== 0xff && byte !== 0x7f);
    if (this.isAnswering && !this.isHearing && isLoud) [this.isHearing, this.sinceMs] = [true, 0];
    if (this.isHearing && this.sinceMs >= JUDGED_AFTER_MS) this.interrupt();
    if (!this.isAnswering && this.responses > 0 && this.sinceMs >= ANSWERED_AFTER_MS) this.answer();
  }

  private answer(): void {
    const responseId = `r${++this.responses}`;
    this.isAnswering = true;
    this.onEvent({ type: 'response_started', responseId });
    this.onEvent({ type: 'audio', responseId, itemId: `i${this.responses}`, audio: ANSWER });
    this.onEvent({ type: 'response_done', responseId, status: 'completed' });
  }

  private interrupt(): void {
    [this.isAnswering, this.isHearing, this.sinceMs] = [false, false, 0];
    this.onEvent({ type: 'interrupted' });
  }

  close(): void {
    this.onEvent({ type: 'closed', reason: 'closed by the client' });
  }

  sendText(): void {
    // Nothing is written to the agent.
  }

  sendDigits(): void {
    // No key is pressed.
  }

  sendToolResult(): void {
    // There are no tools.
  }

  cancelResponse(): void {
    // A response is complete when it has begun.
  }

  truncate(): void {
    // The next answer does not depend on what was heard.
  }
}
