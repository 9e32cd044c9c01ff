/** The sandbox as simulations need it. Loaded by `import()`, so that only a process that simulates loads it. */
export { sandboxProvider, SandboxServer, SILENT_SPEECH, simulate } from '@app/sandbox';
