/** Loaded by `import()`, so that only a machine without a speech program loads it; see sandbox.ts. */
export { FormantVoice } from '@app/sandbox/formant';
