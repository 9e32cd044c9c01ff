/** The sandbox as the dialer needs it. Loaded by `import()`, so that only a dialer with sandbox agents loads it. */
export { sandboxProvider, SandboxServer, SandboxThread } from '@app/sandbox';
