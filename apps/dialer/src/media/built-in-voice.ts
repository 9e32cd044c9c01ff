import type { Voice } from '@app/voice';

/**
 * The voice for machines without a speech program; its code is loaded with the first sentence. The speech thread loads this module by
 * its address.
 */
export const builtInVoice: Voice = {
  name: 'formant',
  async speak(sentence) {
    const { FormantVoice } = await import('./sandbox-voice.js');
    return new FormantVoice().speak(sentence);
  },
};
