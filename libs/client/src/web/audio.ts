import { WebFailure } from './failures.js';
import { type WebCallErrorCode } from './sentences.js';
import type { MicrophoneFrame } from './worklet/frame-slicer.js';
import type { PlayOutReport } from './worklet/play-out.js';
import type { PlayOutCommand } from './worklet/worklet.js';

/** The text of worklet/worklet.ts as one script; the build puts it here. */
declare const TRUNKLINE_WORKLET: string;

export type { MicrophoneFrame, PlayOutReport };

/** The microphone could not be opened. */
export class MicrophoneError extends WebFailure {
  override readonly name = 'MicrophoneError';
}

const CONSTRAINTS: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
};

/** Names of the exceptions of `getUserMedia`. */
const FAILURES: Record<string, WebCallErrorCode> = {
  NotAllowedError: 'microphone_denied',
  SecurityError: 'microphone_denied',
  NotFoundError: 'microphone_missing',
  OverconstrainedError: 'microphone_missing',
  NotReadableError: 'microphone_busy',
  AbortError: 'microphone_busy',
};

/** The audio of one page: microphone and speaker. Create it in the handler of a click, because browsers start audio only there. */
export class CallAudio {
  private readonly context: AudioContext;
  private readonly nodes: AudioWorkletNode[] = [];
  private readonly loaded: Promise<void>;

  constructor(workletUrl: string | undefined) {
    this.context = new AudioContext({ latencyHint: 'interactive' });
    this.context.onstatechange = () => this.resume();
    this.resume();
    this.loaded = this.load(workletUrl);
    // Reported by those who wait for it.
    this.loaded.catch(() => {});
  }

  /** Begins to play: the returned functions give it frames. `report` is called every 100 ms. */
  async speaker(channels: 1 | 2, report: (report: PlayOutReport) => void): Promise<Speaker> {
    await this.loaded;
    const node = this.add('trunkline-play-out', { numberOfInputs: 0, outputChannelCount: [channels] }, { channels });
    const tell = (command: PlayOutCommand, transfer: Transferable[] = []) => node.port.postMessage(command, transfer);
    node.port.onmessage = ({ data }: MessageEvent<PlayOutReport>) => {
      tell({ type: 'latency', seconds: this.context.outputLatency || this.context.baseLatency || 0 });
      report(data);
    };
    node.connect(this.context.destination);
    return { play: (frame) => tell({ type: 'frame', frame }, [frame]), clear: () => tell({ type: 'clear' }) };
  }

  /**
   * Opens the microphone: `onFrame` is called every 20 ms, with silence while it is muted.
   * @throws MicrophoneError
   */
  async microphone(wanted: MediaTrackConstraints, onFrame: (frame: MicrophoneFrame) => void): Promise<Microphone> {
    const stream = await openMicrophone(wanted);
    const [track] = stream.getAudioTracks();
    const source = this.context.createMediaStreamSource(stream);
    try {
      await this.loaded;
    } catch (error) {
      track!.stop();
      throw error;
    }
    const node = this.add('trunkline-capture', { channelCount: 1, channelCountMode: 'explicit' }, {});
    node.port.onmessage = ({ data }: MessageEvent<MicrophoneFrame>) => onFrame(data);
    source.connect(node);
    // A node runs only when it leads to the output; this one writes silence.
    node.connect(this.context.destination);
    return {
      mute: (muted) => (track!.enabled = !muted),
      onEnded: (handler) => (track!.onended = handler),
      close: () => {
        track!.stop();
        source.disconnect();
        this.remove(node);
      },
    };
  }

  close(): void {
    for (const node of [...this.nodes]) this.remove(node);
    this.context.onstatechange = null;
    if (this.context.state !== 'closed') void this.context.close();
  }

  private add(name: string, options: AudioWorkletNodeOptions, processorOptions: object): AudioWorkletNode {
    const node = new AudioWorkletNode(this.context, name, { ...options, processorOptions });
    this.nodes.push(node);
    return node;
  }

  private remove(node: AudioWorkletNode): void {
    node.port.onmessage = null;
    node.port.postMessage({ type: 'stop' });
    node.disconnect();
    this.nodes.splice(this.nodes.indexOf(node), 1);
  }

  /** Phones suspend audio during their own calls. Without a click it stays suspended, and the next change of state tries again. */
  private resume(): void {
    if (this.context.state !== 'running' && this.context.state !== 'closed') this.context.resume().catch(() => {});
  }

  private async load(workletUrl: string | undefined): Promise<void> {
    if (workletUrl !== undefined) return this.context.audioWorklet.addModule(workletUrl);
    const url = URL.createObjectURL(new Blob([TRUNKLINE_WORKLET], { type: 'text/javascript' }));
    try {
      await this.context.audioWorklet.addModule(url);
    } finally {
      URL.revokeObjectURL(url);
    }
  }
}

export interface Speaker {
  play: (frame: ArrayBuffer) => void;
  /** Drops what has not been played. */
  clear: () => void;
}

export interface Microphone {
  mute: (muted: boolean) => void;
  /** The device was unplugged, or its permission withdrawn. */
  onEnded: (handler: () => void) => void;
  close: () => void;
}

async function openMicrophone(wanted: MediaTrackConstraints): Promise<MediaStream> {
  // Absent on pages that are not secure.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (!devices?.getUserMedia) throw new MicrophoneError('microphone_unavailable');
  try {
    return await devices.getUserMedia({ audio: { ...CONSTRAINTS, ...wanted } });
  } catch (error) {
    throw new MicrophoneError(FAILURES[(error as Error).name] ?? 'microphone_unavailable', error);
  }
}
