export { seedOf, simulateAudio, type SpeakingAgent } from './audio-line.js';
export { builtInSpeech, callerVoice } from './caller-voice.js';
export { atLevel, FRAME, meanPower, NOISE_NAMES, type NoiseName, noiseOf, RATE } from './noise.js';
export { OutsideCall } from './outside-call.js';
export { SeededRandom } from './seeded-random.js';
export { SipLine } from './sip-line.js';
export type { DialledAgent, TestedCall, TestedCallListener } from './tested-call.js';
