import { anthropicMessages } from './anthropic-messages.js';
import { deepgramListen } from './deepgram-listen.js';
import type { HttpEmulator, SocketEmulator } from './emulator.js';
import { googleGenerate } from './google-generate.js';
import { openAiChat } from './openai-chat.js';

/** The played vendors; a new one is a file beside this one and a line here. */
export const HTTP_EMULATORS: readonly HttpEmulator[] = [anthropicMessages, googleGenerate, openAiChat];
export const SOCKET_EMULATORS: readonly SocketEmulator[] = [deepgramListen];
