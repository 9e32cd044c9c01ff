/** The sandbox as simulations need it. Loaded by `import()`, so that only a process that simulates loads it; the build resolves `@app/*` in static imports alone. */
export {
  builtInSpeech,
  callerVoice,
  OutsideCall,
  playScenario,
  readScenarioFile,
  sandboxLegs,
  sandboxProvider,
  SandboxServer,
  ScenarioInvalid,
  scriptProblems,
  seedOf,
  SILENT_SPEECH,
  simulate,
  simulateAudio,
  SipLine,
} from '@app/sandbox';
