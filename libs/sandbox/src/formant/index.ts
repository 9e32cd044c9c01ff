export { FormantVoice } from './formant-voice.js';
