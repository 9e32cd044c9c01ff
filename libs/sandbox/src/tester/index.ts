export { atLevel, meanPower, NOISE_NAMES, noiseOf, type NoiseName, FRAME, RATE } from './noise.js';
export { SeededRandom } from './seeded-random.js';
