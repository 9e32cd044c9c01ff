/**
 * The parts of the sandbox that the dialer uses. Loaded by `import()`, so that only a dialer with sandbox agents loads it; the build
 * resolves `@app/*` in static imports alone.
 */
export { sandboxLegs, sandboxProvider, SandboxServer, SandboxThread } from '@app/sandbox';
