import { anthropicMessages } from './models/anthropic-messages.js';
import { assemblyAiStreaming } from './speech/assemblyai-streaming.js';
import { cartesiaSpeech } from './speech/cartesia-speech.js';
import { deepgramFlux } from './speech/deepgram-flux.js';
import { deepgramListen } from './speech/deepgram-listen.js';
import { deepgramSpeech } from './speech/deepgram-speech.js';
import { elevenLabsSpeech } from './speech/elevenlabs-speech.js';
import type { HttpEmulator, SocketEmulator } from './emulator.js';
import { googleGenerate } from './models/google-generate.js';
import { openAiChat } from './models/openai-chat.js';
import { openAiSpeech } from './speech/openai-speech.js';
import { openAiTranscription } from './speech/openai-transcription.js';

/** The played vendors; a new one is a file beside this one and a line here. */
const HTTP_EMULATORS: readonly HttpEmulator[] = [
  anthropicMessages,
  deepgramSpeech,
  elevenLabsSpeech,
  googleGenerate,
  openAiChat,
  openAiSpeech,
];
const SOCKET_EMULATORS: readonly SocketEmulator[] = [
  assemblyAiStreaming,
  cartesiaSpeech,
  deepgramFlux,
  deepgramListen,
  openAiTranscription,
];

/** The emulator of an HTTP request. */
export const httpEmulatorOf = (method: string, url: URL): HttpEmulator | undefined =>
  HTTP_EMULATORS.find((one) => one.answers(method, url));

/** The emulator of a WebSocket. */
export const socketEmulatorOf = (url: URL): SocketEmulator | undefined =>
  SOCKET_EMULATORS.find((one) => one.serves(url));
