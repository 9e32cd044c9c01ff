/**
 * Runs in the audio thread of the browser: the capture of the microphone and the play-out, as two processors. Bundled on its own; its
 * text is part of the bundle of the client.
 */
import { FrameSlicer } from './frame-slicer.js';
import { PlayOut } from './play-out.js';

/** What the global scope of worklets has; the types of DOM know that of windows only. */
declare const sampleRate: number;
declare const registerProcessor: (name: string, processor: new (options: ProcessorOptions) => object) => void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
interface ProcessorOptions {
  processorOptions: { channels?: number };
}

/** Messages to the processor of the play-out. */
export type PlayOutCommand =
  { type: 'frame'; frame: ArrayBuffer } | { type: 'clear' } | { type: 'latency'; seconds: number } | { type: 'stop' };

/** A block of a worklet. */
const SILENCE = new Float32Array(128);

class Capture extends AudioWorkletProcessor {
  private running = true;
  private readonly slicer = new FrameSlicer(sampleRate, (frame) => this.port.postMessage(frame, [frame.frame]));

  constructor() {
    super();
    this.port.onmessage = () => (this.running = false);
  }

  process([input]: Float32Array[][]): boolean {
    // A microphone that was unplugged has no channels; the service ends calls without frames.
    this.slicer.push(input?.[0] ?? SILENCE);
    return this.running;
  }
}

class Player extends AudioWorkletProcessor {
  private running = true;
  private readonly playOut: PlayOut;

  constructor({ processorOptions: { channels = 1 } }: ProcessorOptions) {
    super();
    this.playOut = new PlayOut(sampleRate, channels, (report) => this.port.postMessage(report));
    this.port.onmessage = ({ data }: MessageEvent<PlayOutCommand>) => this.obey(data);
  }

  process(_inputs: Float32Array[][], [output]: Float32Array[][]): boolean {
    this.playOut.render(output!);
    return this.running;
  }

  private obey(command: PlayOutCommand): void {
    if (command.type === 'frame') this.playOut.push(new Int16Array(command.frame));
    else if (command.type === 'clear') this.playOut.clear();
    else if (command.type === 'latency') this.playOut.latency = command.seconds;
    else this.running = false;
  }
}

registerProcessor('trunkline-capture', Capture);
registerProcessor('trunkline-play-out', Player);
