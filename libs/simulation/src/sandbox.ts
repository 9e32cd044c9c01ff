/** The sandbox as simulations need it. Loaded by `import()`, so that only a process that simulates loads it; the build resolves `@app/*` in static imports alone. */
export { builtInSpeech, callerVoice } from './tester/caller-voice.js';
export { OutsideCall } from './tester/outside-call.js';
export { seedOf, simulateAudio } from './tester/audio-line.js';
export { SipLine } from './tester/sip-line.js';
export { playScenario, simulate } from './scenario/simulation.js';
export { sandboxLegs, sandboxProvider, SandboxServer } from '@app/sandbox';
export { SILENT_SPEECH } from './scenario/silent-line.js';
