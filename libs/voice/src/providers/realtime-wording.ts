/**
 * How we put into words what the Realtime protocol has no event for. A model reads these as text; the sandbox server,
 * which plays one, reads them back.
 */

const SAY = 'Say exactly the following words and nothing else:';

/** Instructions of one response that is to speak these words. */
export const sayExactly = (words: string): string => `${SAY} ${JSON.stringify(words)}`;

/** The words of `sayExactly`; undefined for instructions of any other kind. */
export function wordsToSay(instructions: string): string | undefined {
  if (!instructions.startsWith(SAY)) return undefined;
  try {
    return String(JSON.parse(instructions.slice(SAY.length)));
  } catch {
    return undefined;
  }
}

/** A user's message that stands for pressed keys. */
export const keysPressed = (digits: string): string => `[The caller pressed the keys ${digits}]`;

/** The keys of `keysPressed`; undefined for any other message. */
export const keysIn = (text: string): string | undefined =>
  /^\[The caller pressed the keys ([0-9A-D*#]+)\]$/.exec(text)?.[1];
