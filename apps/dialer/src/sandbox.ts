/** The sandbox as the dialer needs it. Loaded by `import()`, so that only a dialer with sandbox agents, or without a speech program, loads it. */
export { FormantVoice, sandboxProvider, SandboxServer, SandboxThread } from '@app/sandbox';
