/** The sandbox as simulations need it. Loaded by `import()`, so that only a process that simulates loads it; the build resolves `@app/*` in static imports alone. */
export { sandboxProvider, SandboxServer, SILENT_SPEECH, simulate } from '@app/sandbox';
