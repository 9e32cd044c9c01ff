/** The sandbox as simulations need it. Loaded by `import()`, so that only a process that simulates loads it; the build resolves `@app/*` in static imports alone. */
export { builtInSpeech, callerVoice, OutsideCall, seedOf, simulateAudio, SipLine } from '@app/sandbox/tester';
export {
  playScenario,
  readScenarioFile,
  sandboxLegs,
  sandboxProvider,
  SandboxServer,
  ScenarioInvalid,
  scriptProblems,
  SILENT_SPEECH,
  simulate,
} from '@app/sandbox';
