import type { RemoteMedia } from '../media/remote-media.js';
import type { RtpStats } from '../media/rtp-stats.js';
import type { AudioEnd } from './media-host.js';

/** `leg`, `task`, `bridge` and `request` are numbers that the signalling thread gives out, once each. */
export type ToMediaThread =
  | { type: 'open'; leg: number; legId: string; port: number }
  | { type: 'start'; leg: number; remote: RemoteMedia }
  | { type: 'record'; leg: number; path: string }
  | { type: 'digit'; leg: number; digit: string; durationMs: number }
  | { type: 'send_dtmf'; leg: number; request: number; digits: string }
  | { type: 'attach'; leg: number; task: number; kind: string; init: unknown }
  | { type: 'task'; task: number; message: unknown }
  | { type: 'bridge'; bridge: number; legs: [number, number] }
  | { type: 'part'; bridge: number }
  | { type: 'close'; leg: number }
  /** Ends everything, then the thread. */
  | { type: 'shutdown' };

export type FromMediaThread =
  | { type: 'ready' }
  | { type: 'opened'; leg: number; localAddress: string; localPort: number }
  | { type: 'not_opened'; leg: number; portTaken: boolean; error: ThreadError }
  | { type: 'pressed'; leg: number; digit: string; durationMs: number }
  | { type: 'timeout'; leg: number; final: boolean }
  | { type: 'dtmf_sent'; request: number; error?: ThreadError }
  | { type: 'task'; task: number; message: unknown }
  | { type: 'task_done'; task: number; value: unknown }
  | { type: 'task_failed'; task: number; error: ThreadError }
  | { type: 'closed'; leg: number; end: AudioEnd }
  /** Once a second, for all legs; also shows that the thread is running. */
  | { type: 'stats'; legs: [leg: number, stats: RtpStats][] };

/** An error between threads: cloning would lose class and name. */
interface ThreadError {
  name: string;
  message: string;
}

export function threadError(error: unknown): ThreadError {
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { name: 'Error', message: String(error) };
}

export function errorOf({ name, message }: ThreadError): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
