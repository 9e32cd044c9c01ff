import { assemblyAiStreaming } from './assemblyai-streaming.js';
import { deepgramListen } from './deepgram-listen.js';
import { openAiTranscription } from './openai-transcription.js';
import type { HttpEmulator, SocketEmulator } from './emulator.js';

/** The played vendors; a new one is a file beside this one and a line here. */
export const HTTP_EMULATORS: readonly HttpEmulator[] = [];
export const SOCKET_EMULATORS: readonly SocketEmulator[] = [deepgramListen, assemblyAiStreaming, openAiTranscription];
