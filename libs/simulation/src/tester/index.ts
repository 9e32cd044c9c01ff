export { builtInSpeech } from './caller-voice.js';
export { atLevel, FRAME, meanPower, noiseOf, RATE } from './noise.js';
export { SeededRandom } from './seeded-random.js';
