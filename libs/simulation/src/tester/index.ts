export { builtInSpeech } from './caller-voice.js';
export { atLevel, FRAME, meanPower, NOISE_NAMES, type NoiseName, noiseOf, RATE } from './noise.js';
export { SeededRandom } from './seeded-random.js';
