export { SandboxProvider, sandboxProvider } from './provider/sandbox-provider.js';
export { Utterances } from './server/input-audio.js';
export { SandboxServer } from './server/sandbox-server.js';
export { SandboxThread } from './server/sandbox-thread.js';
export { readScript, scriptProblems } from './server/script.js';
export { ScriptedAgent } from './server/scripted-agent.js';
export { sandboxLegs } from './vendors/sandbox-legs.js';
export { withWords } from './words/word-signal.js';
