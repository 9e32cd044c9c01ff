import { openAiChat } from './openai-chat.js';
import type { HttpEmulator, SocketEmulator } from './emulator.js';

/** The played vendors; a new one is a file beside this one and a line here. */
export const HTTP_EMULATORS: readonly HttpEmulator[] = [openAiChat];
export const SOCKET_EMULATORS: readonly SocketEmulator[] = [];
