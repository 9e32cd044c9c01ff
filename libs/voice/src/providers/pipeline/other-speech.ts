import type { OtherSpeechEvent, WordsOfOther } from '../voice-provider.js';
import type { Transcriber } from './ports.js';

/** The words of another person by a transcriber, in a stream beside that of the user. */
export async function recogniseBy(
  transcriber: Transcriber,
  { language, keywords = [] }: { language: string | undefined; keywords?: readonly string[] | undefined },
  onEvent: (event: OtherSpeechEvent) => void,
  signal: AbortSignal,
): Promise<WordsOfOther> {
  const request = {
    audio: { codec: 'L16', rate: 16_000 },
    ...(language !== undefined && { language }),
    languages: language === undefined ? [] : [language],
    keywords,
  } as const;
  let isClosed = false;
  const stream = await transcriber.open(
    request,
    (event) => {
      if (event.type === 'usage') onEvent({ type: 'usage', items: event.items });
      else if (event.type === 'final' && event.text !== '')
        onEvent({ type: 'words', text: event.text, endMs: event.endMs });
      else if (event.type === 'closed' && !isClosed) onEvent({ type: 'ended', reason: event.reason });
    },
    signal,
  );
  return {
    send: (frame) => stream.send(frame),
    flush: () => stream.flush(),
    close: () => {
      isClosed = true;
      stream.close();
    },
  };
}
