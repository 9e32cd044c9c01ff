import type { Voice } from '@app/voice';

/** Speaks where no speech program is installed, and is loaded when it first speaks. The speech thread loads this module by its address. */
export const builtInVoice: Voice = {
  name: 'formant',
  async speak(sentence) {
    const { FormantVoice } = await import('./sandbox-voice.js');
    return new FormantVoice().speak(sentence);
  },
};
